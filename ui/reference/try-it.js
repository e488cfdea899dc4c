// A form that sends an operation to this service, as the person who is signed in, and shows what it answers.
import { element } from './element.js'
import { sample } from './schema.js'

const MOST_SHOWN = 100_000
const JSON_TYPE = 'application/json'

/** @param fields the inputs of the parameters, by place and name */
export function tryIt({ path, method, requestBody }, components, base, fields) {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const body = type === undefined ? null : bodyField(type, media, components)
  const send = element('button', { type: 'submit', textContent: 'Send' })
  const stop = element('button', { type: 'button', textContent: 'Stop', hidden: true })
  const state = element('p', { role: 'status' })
  const answer = element('pre', { tabIndex: 0, hidden: true })
  answer.setAttribute('aria-label', 'Answer')
  let running

  async function run() {
    running?.abort()
    running = new AbortController()
    const { signal } = running
    state.textContent = 'Waiting…'
    answer.hidden = true
    stop.hidden = false
    const startedAt = performance.now()
    try {
      const response = await fetch(addressOf(path, base, fields), {
        method,
        signal,
        ...(body === null || body.value() === '' ? {} : { body: body.value(), headers: { 'content-type': type } }),
      })
      state.textContent = `${response.status} ${response.statusText}, ${Math.round(performance.now() - startedAt)} ms`
      await show(response, answer, state)
    } catch (error) {
      if (!signal.aborted) state.textContent = `Nothing was answered: ${error.message}`
    } finally {
      if (!signal.aborted) stop.hidden = true
    }
  }
  stop.addEventListener('click', () => {
    running?.abort()
    stop.hidden = true
    state.textContent = `${state.textContent} (stopped)`
  })
  const form = element('form', { className: 'try' }, body?.node, element('p', {}, send, ' ', stop), state, answer)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run()
  })
  return form
}

function bodyField(type, media, components) {
  if (type !== JSON_TYPE) {
    const input = element('input', { type: 'file' })
    return { node: element('label', {}, `Body (${type}) `, input), value: () => input.files[0] ?? '' }
  }
  const input = element('textarea', {
    rows: 8,
    spellcheck: false,
    value: JSON.stringify(media.example ?? sample(media.schema, components), null, 2),
  })
  return { node: element('label', {}, 'Body', input), value: () => input.value.trim() }
}

function addressOf(path, base, fields) {
  const query = new URLSearchParams()
  let address = path
  for (const { place, name, input } of fields) {
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(input.value))
    else if (place === 'query' && input.value !== '') query.set(name, input.value)
  }
  return `${base}${address}${query.size === 0 ? '' : `?${query}`}`
}

/** As it arrives: a stream has no end. */
async function show(response, answer, state) {
  const type = response.headers.get('content-type') ?? ''
  if (response.body === null || response.status === 204) return
  if (!/json|text|xml|javascript/.test(type)) {
    const address = URL.createObjectURL(await response.blob())
    const name = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'answer'
    state.append(' ', element('a', { href: address, download: name, textContent: `Save ${name}` }))
    return
  }
  answer.hidden = false
  let text = ''
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    text += part
    if (type.includes('json')) continue
    // Of a stream, what came last.
    text = text.slice(-MOST_SHOWN)
    answer.textContent = text
  }
  if (type.includes('json')) answer.textContent = shortened(pretty(text))
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function shortened(text) {
  return text.length <= MOST_SHOWN
    ? text
    : `${text.slice(0, MOST_SHOWN)}\n… and ${text.length - MOST_SHOWN} more characters`
}
