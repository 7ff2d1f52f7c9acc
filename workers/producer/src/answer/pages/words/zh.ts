/** Chinese, simplified. */
import type { Words } from "../words.ts";

export const zh: Words = {
  lang: "zh-Hans",
  pages: {
    link_unknown: ["没有这个链接", "此地址下没有任何内容。请检查是否缺少字母或有误。"],
    no_slug: ["这里没有内容", "此主机提供短链接。请补上斜杠后面的部分。"],
    link_gone: ["此链接已结束", "所有者已将其停用。"],
    link_expired: ["此链接已结束", "它只在一段时间内有效。"],
    link_used_up: ["此链接已结束", "它的打开次数有限。"],
    link_blocked: ["此处不可用", "此链接的所有者未向您所在的地区、设备或浏览器开放。"],
    domain_suspended: ["这些链接已停用", "此服务的运营者已暂停该地址的所有链接。"],
    password_required: ["此链接需要密码", "请输入密码以继续。您可以向发送链接的人询问。"],
    method_not_allowed: ["无法以这种方式打开", "短链接只响应 GET 和 HEAD。"],
    too_many_unknown_links: ["未知链接过多", "您的网络请求了许多不存在的链接。请在十秒后重试。"],
    origin_unavailable: ["请稍候", "我们暂时无法查找此链接。这是我们的问题，请在几秒后重试。"],
    api_unavailable: ["无法连接到 API", "重定向不受影响。请在几秒后重试。"],
    internal_error: ["这是我们的问题", "出现了错误，已记录下来。"],
  },
  complaints: {
    password_wrong: "密码不正确。请注意大小写。",
    too_many_passwords: "此处尝试了太多错误密码。请等待一分钟。",
  },
  form: { password: "密码", open: "打开链接" },
  links: {
    home: "首页",
    imprint: "版权信息",
    privacy: "隐私",
    report: "举报此链接",
  },
  preview: { shortLink: "短链接", leadsTo: "指向" },
};
