/** The picture in the QR codes of a domain's links: shown, set and removed. */
import type { Domain } from "@hopline/client/openapi";
import { ImagePlus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { useWorkspace } from "../queries.ts";
import { Button } from "../ui/controls.tsx";
import { useSending } from "../use-sending.ts";
import { toLogoPng } from "./to-logo-png.ts";
import { t } from "./words.ts";

type DomainLogoProps = { readonly domain: Domain; readonly mayManage: boolean };

export function DomainLogo({ domain: { id, host, logo }, mayManage }: DomainLogoProps) {
  const { id: workspaceId } = useWorkspace();
  const input = useRef<HTMLInputElement>(null);
  const setting = useSending({
    send: async (hopline, file: File) => {
      const png = await toLogoPng(file);
      return png === null ? null : hopline.setDomainLogo({ domainId: id, body: png });
    },
    said: (domain) => (domain === null ? t.thisFileIsNotPicture : t.qrCodesHaveThisLogoNow(host)),
    rereads: ["domains"],
    isBare: true,
  });
  const removing = useSending({
    send: (hopline) => hopline.deleteDomainLogo({ domainId: id }),
    said: t.qrCodesHaveNoLogoAnyMore(host),
    rereads: ["domains"],
    isBare: true,
  });
  if (logo === null && !mayManage) {
    return null;
  }
  return (
    <div className="row wrap">
      {logo !== null && (
        <img
          key={logo.updatedAt}
          className="logo"
          src={`/api/v1/domains/${id}/logo?workspace=${workspaceId}`}
          alt={t.logoHost(host)}
          width={logo.width}
          height={logo.height}
        />
      )}
      <span className="soft small">{logo === null ? t.noQrLogo : t.shownInQrCodes}</span>
      {mayManage && (
        <span className="row spread">
          <input
            ref={input}
            type="file"
            hidden
            accept="image/*"
            aria-label={t.logoHost(host)}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0];
              // The same file may be chosen again.
              currentTarget.value = "";
              if (file !== undefined) {
                setting.mutate(file);
              }
            }}
          />
          <Button
            icon={ImagePlus}
            label={logo === null ? t.addLogo : t.replace}
            isSmall
            disabled={setting.isPending}
            onClick={() => input.current?.click()}
          />
          {logo !== null && (
            <Button
              icon={Trash2}
              label={t.removeLogo}
              isSmall
              isDanger
              disabled={removing.isPending}
              onClick={() => removing.mutate()}
            />
          )}
        </span>
      )}
    </div>
  );
}
