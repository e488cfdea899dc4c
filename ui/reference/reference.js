// Renders /openapi.json: operations by area with parameters, bodies and responses.
const base = document.documentElement.dataset.base ?? ''
const index = document.querySelector('#index')
const main = document.querySelector('#operations')
const status = document.querySelector('#status')

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties)
  node.append(...children.filter((child) => child !== null && child !== undefined))
  return node
}

function operationsOf(description) {
  return Object.entries(description.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
      area: operation.tags?.[0] ?? 'Other',
    })),
  )
}

// A readable outline of a schema: names, types, required properties, descriptions.
function outline(schema, depth = 0) {
  if (schema === undefined || depth > 6) return '…'
  const pad = '  '.repeat(depth)
  if (schema.anyOf ?? schema.oneOf) return (schema.anyOf ?? schema.oneOf).map((one) => outline(one, depth)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `[${outline(schema.items ?? {}, depth)}]`
  if (schema.properties !== undefined) {
    const required = new Set(schema.required ?? [])
    const lines = Object.entries(schema.properties).map(
      ([name, value]) =>
        `${pad}  ${name}${required.has(name) ? '' : '?'}: ${outline(value, depth + 1)}${value.description ? `  // ${value.description}` : ''}`,
    )
    return `{\n${lines.join('\n')}\n${pad}}`
  }
  return schema.type ?? 'any'
}

function parameters(operation) {
  const list = operation.parameters ?? []
  if (list.length === 0) return null
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...['Name', 'In', 'Type', 'Meaning'].map((text) => element('th', { scope: 'col', textContent: text })),
      ),
    ),
    element(
      'tbody',
      {},
      ...list.map((one) =>
        element(
          'tr',
          {},
          ...[
            `${one.name}${one.required ? ' (required)' : ''}`,
            one.in,
            outline(one.schema ?? {}),
            one.description ?? one.schema?.description ?? '',
          ].map((text) => element('td', { textContent: text })),
        ),
      ),
    ),
  )
}

function block(title, schema) {
  return schema === undefined
    ? null
    : element(
        'div',
        {},
        element('p', { textContent: title }),
        element('pre', { tabIndex: 0, textContent: outline(schema) }),
      )
}

function article(operation, id) {
  return element(
    'article',
    { id },
    element('h3', {}, element('span', { className: 'method', textContent: operation.method }), ` ${operation.path}`),
    operation.summary ? element('p', { textContent: operation.summary }) : null,
    operation.description ? element('p', { textContent: operation.description }) : null,
    parameters(operation),
    block('Body', operation.requestBody?.content?.['application/json']?.schema),
    ...Object.entries(operation.responses ?? {}).map(([code, answer]) =>
      block(`Answer ${code}`, answer.content?.['application/json']?.schema),
    ),
  )
}

function draw(description, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = operationsOf(description).filter((one) =>
    words.every((word) => `${one.method} ${one.path} ${one.summary ?? ''} ${one.area}`.toLowerCase().includes(word)),
  )
  index.replaceChildren()
  main.replaceChildren(
    element('h1', { textContent: `${description.info?.title ?? 'API'} ${description.info?.version ?? ''}` }),
  )
  if (found.length === 0)
    main.append(element('p', { role: 'status', textContent: 'Nothing fits. Clear the filter to see every operation.' }))
  for (const area of [...new Set(found.map((one) => one.area))].sort()) {
    index.append(element('li', {}, element('h2', { textContent: area })))
    main.append(element('h2', { textContent: area }))
    for (const one of found.filter((candidate) => candidate.area === area)) {
      const id = `${one.method}-${one.path}`.replaceAll(/[^A-Za-z0-9]+/g, '-')
      index.append(element('li', {}, element('a', { href: `#${id}`, textContent: `${one.method} ${one.path}` })))
      main.append(article(one, id))
    }
  }
}

try {
  const answer = await fetch(`${base}/openapi.json`)
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  const description = await answer.json()
  const filter = document.querySelector('#filter')
  filter.addEventListener('input', () => draw(description, filter.value))
  draw(description, '')
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()
} catch (error) {
  status.textContent = `The description cannot be shown: ${error.message}. Reload the page, or sign in again.`
}
