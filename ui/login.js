// Signing in, and creating the first account: the same form, as the service says which of the two is needed.
const byId = (id) => document.getElementById(id)
const form = byId('form')
const message = byId('message')
const button = byId('submit')
// Checked by the service before it wrote this page.
const next = document.querySelector('main').dataset.next
const MIN_PASSWORD_LENGTH = 8
let isSetup = false

const TEXTS = {
  setup_token_required: 'You set up Playhead from another machine: enter the setup token, too.',
  setup_token_invalid: 'This is not the setup token.',
  credentials_changed: 'Somebody else has just created the account. Reload this page and sign in.',
  'Authentication setup required': 'The account was reset meanwhile. Reload this page.',
  'Host not allowed': 'Open Playhead by its IP address, or add this name to security.allowed_hosts.',
  'Origin mismatch': 'The service does not recognise this address as its own. Behind a proxy, add it to security.trusted_proxies.',
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void submit()
})
await begin()

async function begin() {
  byId('status').textContent = 'One moment…'
  const { status, body } = await call('/api/app-auth/status')
  if (status !== 200) {
    byId('status').textContent = `${failureText(status, body)} Reload this page to try again.`
    return
  }
  if (body.authenticated || (!body.enabled && !body.setup_required)) return location.replace(next)
  byId('status').textContent = ''
  if (body.setup_required) showSetup()
  form.hidden = false
  byId('username').focus()
}

function showSetup() {
  isSetup = true
  document.title = 'Set up · Playhead'
  byId('title').textContent = 'Create your account'
  button.textContent = 'Create account'
  byId('password').autocomplete = 'new-password'
  for (const part of [byId('hint'), ...document.querySelectorAll('[data-for="setup"]')]) part.hidden = false
}

async function submit() {
  const problem = findProblem()
  showProblem(problem)
  if (problem !== null) return

  button.disabled = true
  const { status, body } = await (isSetup ? createAccount() : signIn())
  if (status === 200) return location.replace(next)
  button.disabled = false
  if (status === 429 && body.retry_after > 0) return waitFor(body.retry_after)
  if (String(body.error).startsWith('setup_token_')) byId('token-field').hidden = false
  showProblem({ text: failureText(status, body), field: fieldOf(status, body) })
}

function signIn() {
  return call('/api/app-auth/login', {
    username: byId('username').value,
    password: byId('password').value,
    remember_me: byId('remember').checked,
  })
}

function createAccount() {
  const token = byId('token').value.trim()
  return call('/api/app-auth/credentials', {
    enabled: true,
    username: byId('username').value,
    password: byId('password').value,
    remember_session_enabled: byId('remember').checked,
    ...(token === '' ? {} : { setup_token: token }),
  })
}

function findProblem() {
  const [username, password] = [byId('username').value.trim(), byId('password').value]
  if (username === '') return { text: 'Enter your name.', field: 'username' }
  if (password === '') return { text: 'Enter your password.', field: 'password' }
  if (!isSetup) return null
  if (password.length < MIN_PASSWORD_LENGTH) {
    return { text: `The password needs at least ${MIN_PASSWORD_LENGTH} characters.`, field: 'password' }
  }
  if (password !== byId('repeated').value) return { text: 'The two passwords differ.', field: 'repeated' }
  return null
}

function showProblem(problem) {
  for (const input of form.querySelectorAll('input')) input.removeAttribute('aria-invalid')
  message.textContent = problem?.text ?? ''
  if (problem?.field === undefined) return
  byId(problem.field).setAttribute('aria-invalid', 'true')
  byId(problem.field).focus()
}

function fieldOf(status, body) {
  if (String(body.error).startsWith('setup_token_')) return 'token'
  return status === 401 ? 'password' : undefined
}

function failureText(status, body) {
  if (status === 0) return 'The service cannot be reached.'
  if (status === 401) return 'Name or password is wrong.'
  if (status >= 500) return `The service cannot answer at the moment (${status}).`
  return TEXTS[body.error] ?? body.error ?? `The service refused this (${status}).`
}

// A screen reader hears the first sentence; the seconds that follow would drown it.
function waitFor(seconds) {
  const endsAt = Date.now() + seconds * 1000
  message.textContent = 'Too many attempts. Wait a moment before you try again.'
  button.disabled = true
  const label = button.textContent
  const tick = () => {
    const left = Math.ceil((endsAt - Date.now()) / 1000)
    button.textContent = left > 0 ? `Wait ${left} s` : label
    if (left > 0) return setTimeout(tick, 500)
    button.disabled = false
    message.textContent = ''
  }
  tick()
}

async function call(path, json) {
  try {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
    const answer = await fetch(path, json === undefined ? {} : post)
    const body = await answer.json().catch(() => ({}))
    return { status: answer.status, body }
  } catch {
    // No answer at all: the caller says so.
    return { status: 0, body: {} }
  }
}
