'use strict';
(() => {
  const main = document.querySelector('main');
  const items = [...main.querySelectorAll('details.function')];
  const search = document.getElementById('search');
  const show = document.getElementById('show');
  const sort = document.getElementById('sort');
  const shown = document.getElementById('shown');
  const texts = new Map();
  const textOf = (item) => {
    if (!texts.has(item)) texts.set(item, item.textContent.toLowerCase());
    return texts.get(item);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of items) {
      const fits = (show.value === 'all' || item.dataset.tags.split(' ').includes(show.value)) &&
        words.every((word) => textOf(item).includes(word));
      item.hidden = !fits;
      count += fits;
    }
    const all = `${items.length} function${items.length === 1 ? '' : 's'}`;
    shown.textContent = count === items.length ? all : `${count} of ${all}`;
    main.querySelector('.empty').style.display = count ? 'none' : 'block';
  };
  const number = (key) => (a, b) => b.dataset[key] - a.dataset[key] || a.dataset.place - b.dataset.place;
  const text = (part) => (a, b) =>
    a.querySelector(part).textContent.localeCompare(b.querySelector(part).textContent) ||
    a.dataset.place - b.dataset.place;
  const orders = {
    gain: (a, b) => a.dataset.place - b.dataset.place,
    ops: number('ops'), barriers: number('barriers'), name: text('.name'), file: text('.where'),
  };
  const open = (state) => items.filter((item) => !item.hidden).forEach((item) => { item.open = state; });
  const goTo = () => {
    const item = location.hash && document.getElementById(location.hash.slice(1));
    if (!item) return;
    item.hidden = false;
    item.open = true;
    item.scrollIntoView();
  };
  items.forEach((item, place) => { item.dataset.place = place; });
  search.addEventListener('input', filter);
  show.addEventListener('change', filter);
  sort.addEventListener('change', () => { items.sort(orders[sort.value]).forEach((item) => main.append(item)); });
  document.getElementById('open').addEventListener('click', () => open(true));
  document.getElementById('close').addEventListener('click', () => open(false));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.matches('input, select')) return;
    event.preventDefault();
    search.focus();
  });
  window.addEventListener('hashchange', goTo);
  document.documentElement.classList.add('js');
  filter();
  goTo();
})();
