// Search over the names, types and first lines of all definitions. The index is `definitions`, of the file `index.js`.
(() => {
  const root = document.currentScript.dataset.root;
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const MOST = 30;

  /** How well a definition fits: less is better; -1 if it does not. */
  function rank(definition, words) {
    let sum = 0;
    for (const word of words) {
      const at = definition.name.toLowerCase().indexOf(word);
      const elsewhere = `${definition.type} ${definition.about}`.toLowerCase().includes(word);
      if (at < 0 && !elsewhere) return -1;
      sum += at < 0 ? 1000 : at + definition.name.length - word.length;
    }
    return sum;
  }

  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    if (words.length === 0) return;
    const ranked = definitions
      .map((definition) => ({ definition, rank: rank(definition, words) }))
      .filter((one) => one.rank >= 0)
      .sort((a, b) => a.rank - b.rank);
    for (const { definition } of ranked.slice(0, MOST)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = root + definition.at;
      link.textContent = definition.name;
      const type = document.createElement("small");
      type.textContent = definition.type;
      item.append(link, type);
      found.append(item);
    }
    if (ranked.length === 0) found.textContent = "Nothing found.";
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const first = found.querySelector("a");
    if (event.key === "Enter" && first) location.href = first.href;
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) {
      event.preventDefault();
      input.focus();
    }
  });
})();
