/** The style sheet of the HTML report; light and dark by the reader's setting, states told by colour-blind safe hues and always by words too. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--page:#f6f5f1;--card:#fff;--ink:#1c2024;--soft:#5d6670;--line:#e2dfd7;--accent:#175fc9;
--passed:#0b7a75;--completed:#4a90a4;--failed:#d9731a;--error:#b0224f;--timeout:#7650b8;--external:#8a7a2f;--running:#3b7ddd;--pending:#b9b7af;--shade:#efede6}
@media(prefers-color-scheme:dark){:root{--page:#14171a;--card:#1d2125;--ink:#e9ebed;--soft:#a0a9b2;--line:#31373d;--accent:#7fb2ff;
--passed:#2fb5ac;--completed:#72b7cb;--failed:#f0964a;--error:#ef6a8f;--timeout:#ab8ae6;--external:#c9b560;--running:#7fb2ff;--pending:#5b6269;--shade:#262b30}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1180px;margin:0 auto;padding:36px 24px 64px}
h1{font-size:15px;font-weight:600;margin:0}h2{font-size:15px;font-weight:650;margin:0 0 14px}
.run{color:var(--soft);font-size:14px;display:flex;flex-wrap:wrap;gap:4px 18px;margin:2px 0 26px}
.run b{color:var(--ink);font-weight:600}
.hero{display:grid;grid-template-columns:auto 1fr;gap:18px 34px;align-items:end;margin-bottom:26px}
.rate{font-size:clamp(56px,9vw,96px);line-height:.95;font-weight:700;letter-spacing:-.035em;font-variant-numeric:tabular-nums}
.rate small{display:block;font-size:15px;font-weight:500;letter-spacing:0;color:var(--soft);margin-top:10px;line-height:1.4}
.stack{display:flex;height:30px;border-radius:8px;overflow:hidden;gap:2px}
.stack i{display:block;min-width:3px}
.legend{display:flex;flex-wrap:wrap;gap:6px 18px;margin:10px 0 0;padding:0;list-style:none;font-size:14px}
.legend b{font-variant-numeric:tabular-nums}
.dot{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:7px;vertical-align:-1px}
.passed{background:var(--passed);fill:var(--passed)}.completed{background:var(--completed);fill:var(--completed)}
.failed{background:var(--failed);fill:var(--failed)}.error{background:var(--error);fill:var(--error)}
.timeout{background:var(--timeout);fill:var(--timeout)}.external{background:var(--external);fill:var(--external)}
.running{background:var(--running);fill:var(--running)}.pending{background:var(--pending);fill:var(--pending)}
.neutral{fill:var(--accent)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:1px;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow:hidden;margin:0 0 22px}
.tiles div{box-shadow:0 0 0 1px var(--line);padding:14px 16px}
.tiles dt{font-size:13px;color:var(--soft)}.tiles dd{margin:2px 0 0;font-size:21px;font-weight:620;font-variant-numeric:tabular-nums;white-space:nowrap}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:22px;margin-bottom:22px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px 22px}
.card.wide{grid-column:1/-1}
.category{display:grid;grid-template-columns:minmax(90px,170px) 1fr 118px;gap:14px;align-items:center;width:calc(100% + 16px);padding:7px 8px;margin:0 -8px;border:0;border-radius:8px;background:none;color:inherit;font:inherit;text-align:left;cursor:pointer}
.category:hover{background:var(--shade)}
.category[aria-pressed=true]{background:var(--shade);box-shadow:inset 3px 0 var(--accent)}
.category .stack{height:18px;border-radius:5px}
.category span:last-child{font-variant-numeric:tabular-nums;font-size:14px;text-align:right;color:var(--soft)}
.category span:last-child b{color:var(--ink)}
.clip{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--soft);font-size:12.5px;font-family:inherit;font-variant-numeric:tabular-nums}
svg .count{text-anchor:middle;fill:var(--ink)}svg .hit{fill:transparent}svg .bar:hover .hit{fill:var(--shade)}
svg .axis{stroke:var(--line)}svg .marker{stroke:var(--ink);stroke-dasharray:3 3;opacity:.55}svg .marker-label{fill:var(--ink)}
.filters{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-bottom:14px}
.chip{border:1px solid var(--line);background:none;color:inherit;border-radius:99px;font:inherit;font-size:14px;padding:4px 13px;cursor:pointer}
.chip[aria-pressed=true]{background:var(--ink);color:var(--card);border-color:var(--ink)}
input,select{font:inherit;font-size:14px;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:8px;padding:5px 10px}
input{flex:1 1 220px;min-width:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th{text-align:left;font-weight:500;color:var(--soft);border-bottom:1px solid var(--line);padding:0 12px 8px 0;white-space:nowrap}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--accent)}
td{border-bottom:1px solid var(--line);padding:9px 12px 9px 0;vertical-align:top}
td.number,th.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr.case{cursor:pointer}tr.case:hover td{background:var(--shade)}
td .open{all:unset;cursor:pointer;font-weight:550;overflow-wrap:anywhere}td .open:focus-visible{outline:2px solid var(--accent)}
td.state{white-space:nowrap}td.text{min-width:200px;max-width:430px;overflow-wrap:anywhere}
tr.detail td{background:var(--page);padding:14px 18px}
.detail dl{display:grid;grid-template-columns:110px 1fr;gap:8px 18px;margin:0}
.detail dt{color:var(--soft)}.detail dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.more{margin-top:14px;color:var(--soft);font-size:14px}
@media(max-width:640px){.hero{grid-template-columns:1fr}.category{grid-template-columns:1fr auto}.category .stack{grid-column:1/-1;grid-row:2}main{padding:22px 14px 48px}}
@media print{.filters,.more button{display:none}}
`;
