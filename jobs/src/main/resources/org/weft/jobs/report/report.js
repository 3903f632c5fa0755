"use strict";
const find = document.getElementById("find");
if (find) {
  const cards = [...document.querySelectorAll("article")];
  const found = document.getElementById("found");
  document.querySelector(".find").hidden = false;
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLocaleLowerCase();
    let shown = 0;
    for (const card of cards) {
      const labels = [...card.querySelectorAll(".label")];
      card.hidden = wanted !== "" && !labels.some(label => label.textContent.toLocaleLowerCase().includes(wanted));
      shown += card.hidden ? 0 : 1;
    }
    found.textContent = wanted === "" ? "" : shown + " of " + cards.length + " cards";
  });
}
