/**
 * Shows which headers the demo's APIs have received, after each answer of the chat. Plain JavaScript: the page serves it as it is.
 * Only text goes into the page, so that nothing that a call brings can become markup.
 */
const panel = document.querySelector('#received-headers');

/** The headers that the relay makes for this call; the others are any client's. */
const OF_THE_CALL = new Set(['authorization', 'x-session-id', 'x-idempotency-key']);

async function update() {
  const response = await fetch('/received-headers');
  if (!response.ok) return;
  const { requests } = await response.json();
  if (requests.length === 0) return;
  const list = document.createElement('ol');
  list.append(...requests.map(itemOf));
  panel.replaceChildren(list);
}

function itemOf({ api, method, path, headers }) {
  const item = document.createElement('li');
  const names = document.createElement('dl');
  for (const { name, length } of headers) {
    const isOfTheCall = OF_THE_CALL.has(name.toLowerCase());
    names.append(textIn('dt', name, isOfTheCall), textIn('dd', `${length} characters`, isOfTheCall));
  }
  item.append(textIn('h3', `${api}: ${method} ${path}`, false), names);
  return item;
}

function textIn(tag, text, isTold) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (isTold) element.className = 'told';
  return element;
}

document.addEventListener('parley-answer', () => void update());
void update();
