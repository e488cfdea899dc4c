// Shows /openapi.json: operations by area with parameters, bodies and answers, each with a form to try it.
import { element } from './element.js'
import { outline, resolve } from './schema.js'
import { tryIt } from './try-it.js'

const base = document.documentElement.dataset.base ?? ''
const index = document.querySelector('#index')
const main = document.querySelector('#operations')
const status = document.querySelector('#status')

function operationsOf(description) {
  return Object.entries(description.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      id: `${method.toUpperCase()}-${path}`.replaceAll(/[^A-Za-z0-9]+/g, '-'),
      area: operation.tags?.[0] ?? 'Other',
    })),
  )
}

function parameterTable(list, components, fields) {
  if (list.length === 0) return null
  const cell = (content) => element('td', {}, content)
  const rows = list.map((one) => {
    const schema = resolve(one.schema ?? {}, components)
    const input = element('input', { required: one.in === 'path', spellcheck: false })
    input.placeholder = String(one.example ?? schema.examples?.[0] ?? schema.default ?? '')
    input.setAttribute('aria-label', one.name)
    fields.push({ place: one.in, name: one.name, input })
    const name = `${one.name}${one.required ? ' (required)' : ''}`
    const meaning = [outline(schema, components), one.description ?? schema.description ?? '']
    return element('tr', {}, cell(name), cell(one.in), cell(meaning.filter(Boolean).join('. ')), cell(input))
  })
  const heads = ['Name', 'In', 'Meaning', 'Value'].map((text) => element('th', { scope: 'col', textContent: text }))
  return element('table', {}, element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows))
}

function block(title, content, components) {
  const [type, media] = Object.entries(content ?? {})[0] ?? []
  if (type === undefined) return null
  const shown = media.schema === undefined ? type : outline(media.schema, components)
  const text = element('pre', { tabIndex: 0, textContent: shown })
  text.setAttribute('aria-label', title)
  return element('div', {}, element('p', { textContent: title }), text)
}

function detailsOf(operation, components) {
  const fields = []
  const form = tryIt(operation, components, base, fields)
  const table = parameterTable(
    (operation.parameters ?? []).map((one) => resolve(one, components)),
    components,
    fields,
  )
  if (table !== null) form.prepend(table)
  return [
    operation.description ? element('p', { textContent: operation.description }) : null,
    form,
    block('What the body has', operation.requestBody?.content, components),
    ...Object.entries(operation.responses ?? {}).map(([code, given]) => {
      const answer = resolve(given, components)
      return (
        block(`Answer ${code}: ${answer.description ?? ''}`, answer.content, components) ??
        element('p', { textContent: `Answer ${code}: ${answer.description ?? ''}` })
      )
    }),
  ].filter((one) => one !== null)
}

/** The details of an operation are drawn when it is opened. */
function article(operation, components) {
  const details = element(
    'details',
    { id: operation.id },
    element(
      'summary',
      {},
      element('span', { className: 'method', textContent: operation.method }),
      element('code', { textContent: operation.path }),
      operation.summary ? element('span', { className: 'about', textContent: operation.summary }) : null,
    ),
  )
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(...detailsOf(operation, components))
  })
  return details
}

/** Operations that are drawn in one go. */
const AT_ONCE = 40
let drawings = 0

async function draw(description, wanted) {
  drawings += 1
  const own = drawings

  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = operationsOf(description).filter((one) =>
    words.every((word) => `${one.method} ${one.path} ${one.summary ?? ''} ${one.area}`.toLowerCase().includes(word)),
  )
  const areas = Object.groupBy(found, ({ area }) => area)
  const lines = Object.keys(areas)
    .sort()
    .flatMap((area) => [{ area }, ...areas[area]])
  const { title = 'API', version = '' } = description.info ?? {}
  index.replaceChildren()
  main.replaceChildren(element('h1', { textContent: `${title} ${version}` }))
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    if (from > 0) await new Promise((resolve) => setTimeout(resolve))
    if (own !== drawings) return
    for (const line of lines.slice(from, from + AT_ONCE)) {
      index.append(element('li', {}, linkTo(line)))
      main.append(line.id === undefined ? heading(line) : article(line, description.components))
    }
  }
  if (found.length === 0)
    main.append(element('p', { role: 'status', textContent: 'Nothing fits. Clear the filter to see every operation.' }))
}

function heading({ area }) {
  return element('h2', { textContent: area })
}

function linkTo(line) {
  const { id, method, path } = line
  return id === undefined ? heading(line) : element('a', { href: `#${id}`, textContent: `${method} ${path}` })
}

/** The operation of the address. */
function openWanted() {
  const wanted = document.getElementById(location.hash.slice(1))
  if (wanted?.localName !== 'details') return
  wanted.open = true
  wanted.scrollIntoView()
  wanted.querySelector('summary').focus({ preventScroll: true })
}

try {
  const answer = await fetch(`${base}/openapi.json`)
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  const description = await answer.json()
  const filter = document.querySelector('#filter')
  filter.addEventListener('input', () => void draw(description, filter.value))
  await draw(description, '')
  openWanted()
  addEventListener('hashchange', openWanted)
} catch (error) {
  status.textContent = `The description cannot be shown: ${error.message}. Reload the page, or sign in again.`
}
