// Searches the sections of the documentation in the browser. Every word must occur; titles count more than text.
const input = document.querySelector('#search')
const list = document.querySelector('#found')
const article = document.querySelector('article')
const MAX_RESULTS = 20
const AROUND = 60
let entries

async function load() {
  entries ??= (await fetch('search.json')).json()
  return await entries
}

function score({ title, page, text }, words) {
  let sum = 0
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word)
    const inPage = page.toLowerCase().includes(word)
    const inText = text.toLowerCase().includes(word)
    if (!inTitle && !inPage && !inText) return 0
    sum += (inTitle ? 10 : 0) + (inPage ? 4 : 0) + (inText ? 1 : 0)
  }
  return sum
}

/** Whole words around the place. */
function excerpt(text, place) {
  const from = place <= AROUND ? 0 : text.lastIndexOf(' ', place - AROUND) + 1
  const to = text.indexOf(' ', place + 2 * AROUND)
  return `${from > 0 ? '… ' : ''}${text.slice(from, to < 0 ? text.length : to)}${to < 0 ? '' : ' …'}`
}

function show({ at, page, title, text }, word) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = at
  link.textContent = title === '' || title === page ? page : `${page}: ${title}`
  const part = document.createElement('p')
  part.textContent = excerpt(text, Math.max(0, text.toLowerCase().indexOf(word)))
  item.append(link, part)
  return item
}

input.addEventListener('input', async () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const all = words.length === 0 ? [] : await load()
  const found = all
    .map(entry => [score(entry, words), entry])
    .filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a)
    .slice(0, MAX_RESULTS)
  list.hidden = words.length === 0
  article.hidden = words.length > 0
  list.replaceChildren(...found.map(([, entry]) => show(entry, words[0])))
  if (words.length > 0 && found.length === 0) list.textContent = 'No results'
})
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault()
    input.focus()
  }
})
// A link to a heading of this page changes only the address.
list.addEventListener('click', event => {
  if (event.target.closest('a') === null) return
  input.value = ''
  list.hidden = true
  article.hidden = false
})
