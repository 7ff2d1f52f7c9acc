/** The style of the report. Five series colours that stay apart for colour-blind eyes, in light and in dark. */
export const REPORT_STYLE = `
:root{--page:#f6f7f9;--card:#fff;--text:#15181d;--muted:#667080;--grid:#e6e9ee;--edge:#dfe3e9;--ok:#0a7a46;--ok-bg:#e2f5ea;
--bad:#b3261e;--bad-bg:#fde9e7;--s1:#2266cc;--s2:#d9730d;--s3:#b0356f;--s4:#0f8a7e;--s5:#6b5bd2}
@media (prefers-color-scheme:dark){:root{--page:#0f1216;--card:#171b21;--text:#e8ebf0;--muted:#939eae;--grid:#262c35;
--edge:#2a313b;--ok:#5fd698;--ok-bg:#12301f;--bad:#ff8a80;--bad-bg:#3a1614;--s1:#6aa5ff;--s2:#f2a254;--s3:#ee7fb0;--s4:#4fd0c0;--s5:#a99cff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1180px;margin:0 auto;padding:40px 24px 56px}
ul{list-style:none;margin:0;padding:0}
.kicker{margin:0;color:var(--muted);font-size:14px}
h1{margin:6px 0 24px;font-size:32px;line-height:1.2;letter-spacing:-.02em;font-weight:650;display:flex;gap:14px;align-items:center;flex-wrap:wrap}
.badge{font-size:15px;letter-spacing:0;font-weight:600;padding:5px 12px;border-radius:99px}
.badge.ok{color:var(--ok);background:var(--ok-bg)}.badge.bad{color:var(--bad);background:var(--bad-bg)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-bottom:12px}
.tiles li,.findings,figure,.setup{background:var(--card);border:1px solid var(--edge);border-radius:12px}
.tiles li{padding:14px 16px}
.tiles span,.tiles small{display:block;color:var(--muted);font-size:13px}
.tiles strong{display:block;font-size:24px;line-height:1.3;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.findings{padding:6px 18px;margin-bottom:12px}
.findings li{padding:8px 0;display:grid;grid-template-columns:240px 1fr;gap:12px}
.findings li+li{border-top:1px solid var(--grid)}
.findings span{color:var(--muted)}.findings .ok b{color:var(--ok)}.findings .bad b{color:var(--bad)}.findings b{font-weight:600}
.plots{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:12px}
figure{margin:0;padding:16px 16px 10px}
figcaption{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;margin-bottom:8px}
figcaption b{font-weight:600}figcaption span{color:var(--muted);font-size:13px}
.legend{display:flex;gap:14px;margin-left:auto;font-size:13px;color:var(--muted)}
.legend i{display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;vertical-align:middle;background:var(--c)}
svg{display:block;width:100%;height:auto;overflow:visible}
.grid{stroke:var(--grid)}.axis{stroke:var(--muted);stroke-opacity:.6}
.mark{stroke:var(--muted);stroke-dasharray:3 3;stroke-opacity:.7}
.tick{fill:var(--muted);font-size:11px;font-variant-numeric:tabular-nums}
.series-1{--c:var(--s1)}.series-2{--c:var(--s2)}.series-3{--c:var(--s3)}.series-4{--c:var(--s4)}.series-5{--c:var(--s5)}
.line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.area{fill:var(--c);stroke:none}.area.light{fill-opacity:.14}.area.whole{fill-opacity:.9}
.wide{grid-column:1/-1}
.setup{margin-top:12px;padding:16px 18px;color:var(--muted);font-size:14px}
.setup h2{margin:0 0 8px;font-size:15px;font-weight:600;color:var(--text)}
.setup p{margin:12px 0 0}
dl{margin:0;display:grid;grid-template-columns:max-content 1fr;gap:4px 20px}
dt{color:var(--muted)}dd{margin:0;color:var(--text);overflow-wrap:anywhere}
@media (max-width:860px){main{padding:24px 14px}.findings li{grid-template-columns:1fr;gap:0}.plots{grid-template-columns:1fr}h1{font-size:26px}dl{grid-template-columns:1fr}}
`;
