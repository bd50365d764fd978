// Every time on a page is in UTC. This adds the reader's own, and changes nothing else.
"use strict";
(() => {
  const format = new Intl.DateTimeFormat(undefined, {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  if (new Date().getTimezoneOffset() === 0) return;
  for (const time of document.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const own = format.format(date);
    time.title = own;
    if (time.closest("table")) continue;
    const local = document.createElement("span");
    local.className = "local";
    local.textContent = ` (${own})`;
    time.after(local);
  }
})();
