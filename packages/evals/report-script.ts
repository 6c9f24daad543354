/** The script of the HTML report: filters, sorts and pages the case table. Everything it shows is set as text, never as markup. */
export const REPORT_SCRIPT = `
const rows = JSON.parse(document.getElementById('cases').textContent);
const $ = (id) => document.getElementById(id);
const view = { text: '', state: '', category: '', sort: 'seq', descending: false, shown: 50 };
const make = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};
const keys = { seq: (r) => r.seq, state: (r) => r.state, score: (r) => r.score ?? -1, latency: (r) => r.latencyMs ?? -1 };
const matches = (row) =>
  (view.state === '' || row.state === view.state) &&
  (view.category === '' || row.category === view.category) &&
  (view.text === '' || row.haystack.includes(view.text));
for (const row of rows) row.haystack = [row.id, row.question, row.output, row.expected, row.why].join('\\n').toLowerCase();

const detailOf = (row) => {
  const list = make('dl');
  const parts = { Question: row.question, Answer: row.output, Expected: row.expected, Why: row.why };
  for (const [name, value] of Object.entries(parts)) {
    if (value) list.append(make('dt', { textContent: name }), make('dd', { textContent: value }));
  }
  return make('tr', { className: 'detail' }, make('td', { colSpan: 5 }, list));
};

const rowOf = (row) => {
  const open = make('button', { className: 'open', type: 'button', textContent: row.id });
  open.setAttribute('aria-expanded', 'false');
  const dot = make('span', { className: 'dot ' + row.state });
  const line = make('tr', { className: 'case' },
    make('td', { className: 'state' }, dot, row.state),
    make('td', { className: 'text' }, open, make('div', { className: 'clip', textContent: row.question })),
    make('td', { className: 'text', textContent: row.short }),
    make('td', { className: 'number', textContent: row.score === undefined ? '–' : row.score.toFixed(2) }),
    make('td', { className: 'number', textContent: row.latency }));
  line.addEventListener('click', () => {
    if (String(getSelection()) !== '') return;
    const isOpen = open.getAttribute('aria-expanded') === 'true';
    if (isOpen) line.nextSibling.remove();
    else line.after(detailOf(row));
    open.setAttribute('aria-expanded', String(!isOpen));
  });
  return line;
};

const draw = () => {
  const key = keys[view.sort];
  const found = rows.filter(matches).sort((a, b) => {
    const order = key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.seq - b.seq;
    return view.descending ? -order : order;
  });
  $('body').replaceChildren(...found.slice(0, view.shown).map(rowOf));
  $('found').textContent = found.length === rows.length ? rows.length + ' cases' : found.length + ' of ' + rows.length + ' cases';
  $('more').hidden = found.length <= view.shown;
  for (const chip of document.querySelectorAll('[data-state]')) chip.setAttribute('aria-pressed', String(chip.dataset.state === view.state));
  for (const bar of document.querySelectorAll('[data-category]')) bar.setAttribute('aria-pressed', String(bar.dataset.category === view.category));
  for (const head of document.querySelectorAll('[data-sort]')) {
    const isSorted = head.dataset.sort === view.sort;
    head.parentElement.setAttribute('aria-sort', !isSorted ? 'none' : view.descending ? 'descending' : 'ascending');
    head.lastChild.textContent = !isSorted ? '' : view.descending ? ' ↓' : ' ↑';
  }
  $('category').value = view.category;
};
const show = (change) => { Object.assign(view, { shown: 50 }, change); draw(); };

$('search').addEventListener('input', (event) => show({ text: event.target.value.toLowerCase() }));
$('category').addEventListener('change', (event) => show({ category: event.target.value }));
$('more').addEventListener('click', () => show({ shown: view.shown + 200 }));
for (const chip of document.querySelectorAll('[data-state]')) chip.addEventListener('click', () => show({ state: chip.dataset.state }));
for (const bar of document.querySelectorAll('[data-category]')) {
  bar.addEventListener('click', () => show({ category: bar.dataset.category === view.category ? '' : bar.dataset.category }));
}
for (const head of document.querySelectorAll('[data-sort]')) {
  head.addEventListener('click', () => show({ sort: head.dataset.sort, descending: view.sort === head.dataset.sort && !view.descending }));
}
draw();
`;
