// Home: which plugins there are and how they do, kept up to date while the page is open.
const byId = (id) => document.getElementById(id)

const EVENTS = ['plugin.activated', 'plugin.reload_failed', 'plugin.state']
const RECONNECT_MS = 5_000
// Several plugins often change at once; the list is read once for all of them.
const SETTLE_MS = 150

const TONES = { active: 'good', failed: 'bad', quarantined: 'bad', stuck: 'bad', disabled: '' }

let settling

void showAccount()
await showPlugins()
follow()

async function showAccount() {
  const account = await read('/api/app-auth/status')
  byId('sign-out').hidden = account?.authenticated !== true
  byId('auth-off').hidden = account === undefined || account.enabled || account.setup_required
}

async function showPlugins() {
  const answer = await read('/api/plugins')
  if (answer === undefined) return
  const { plugins, problems = [], safe_mode: isSafe = false } = answer
  const active = plugins.filter(({ state }) => state === 'active').length
  byId('summary').textContent = plugins.length === 0
    ? 'There are none yet. Add one with "npm run playhead -- plugin add".'
    : `${active} of ${plugins.length} active`
  byId('safe-mode').hidden = !isSafe
  byId('problems').hidden = problems.length === 0
  byId('problems').replaceChildren(...problems.map(({ message }) => element('li', { textContent: message })))
  byId('plugins').replaceChildren(...[...plugins].sort((a, b) => a.name.localeCompare(b.name)).map(card))
}

function card(plugin) {
  const { kind, version, generation } = plugin
  const facts = [kind, version && `version ${version}`, generation && `load ${generation}`].filter(Boolean).join(' · ')
  return element('li', { className: 'card plugin' },
    element('header', {},
      element('h2', { textContent: plugin.name }),
      element('span', { className: `state ${TONES[plugin.state] ?? 'warn'}`, textContent: plugin.state })),
    element('p', { className: 'muted', textContent: facts }),
    plugin.description ? element('p', { textContent: plugin.description }) : null,
    plugin.last_error ? fault(plugin) : null)
}

function fault({ state, last_error: error }) {
  const place = error.file ? `${error.file}${error.line ? `:${error.line}` : ''}` : ''
  const meaning = state === 'active' ? 'The last change was not taken over; the version before it keeps working.' : ''
  return element('div', { className: 'fault' },
    meaning === '' ? null : element('p', { textContent: meaning }),
    element('p', { textContent: `${error.phase ? `${error.phase}: ` : ''}${error.message ?? error.code}` }),
    element('p', { className: 'muted' }, element('code', { textContent: [error.code, place].filter(Boolean).join(' ') })))
}

function follow() {
  const stream = new EventSource('/api/plugins/stream')
  for (const name of EVENTS) stream.addEventListener(name, refreshSoon)
  stream.addEventListener('open', () => showProblem(''))
  stream.addEventListener('error', () => {
    showProblem('The connection is interrupted; what you see may be out of date.')
    // The browser reconnects by itself, except after a refusal: then the list finds out why.
    if (stream.readyState !== EventSource.CLOSED) return
    setTimeout(async () => {
      await showPlugins()
      follow()
    }, RECONNECT_MS)
  })
}

function refreshSoon() {
  clearTimeout(settling)
  settling = setTimeout(showPlugins, SETTLE_MS)
}

function showProblem(text) {
  if (byId('problem').textContent !== text) byId('problem').textContent = text
}

/** The JSON at a path; undefined when there is none, after saying so. Without a session the login page takes over. */
async function read(path) {
  try {
    const answer = await fetch(path)
    if (answer.status === 401 || answer.status === 403) {
      location.replace('/login?next=%2F')
      return undefined
    }
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
    return await answer.json()
  } catch (error) {
    byId('summary').textContent = ''
    showProblem(`The list cannot be read: ${error.message}. Reload the page to try again.`)
    return undefined
  }
}

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties)
  node.append(...children.filter((child) => child !== null && child !== undefined))
  return node
}
