// Sets, changes and disables the account. The caller proves their identity with the current password, or, if there is
// none, by local access or the setup token.
import { randomBytes } from 'node:crypto'
import { PlayheadError, type Logger } from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { ConfigDocument, ConfigService } from '../config/contract.ts'
import { isObject } from '../config/document/document.ts'
import type { Audit } from './audit.ts'
import type { AuthClient, AuthEnvironment, SignedIn } from './client.ts'
import { recordRefusal, refusal } from './login.ts'
import type { LoginLimiter } from './login-limiter.ts'
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, type PasswordRecord, type Passwords } from './password.ts'
import { rememberDays, sessionEndsAtMs, type Sessions } from './sessions.ts'
import type { SetupToken } from './setup-token.ts'
import { accountSection, nameKey, readAccount, type Account } from './stored-account.ts'

export interface CredentialsInput {
  readonly enabled: boolean
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly currentPassword?: string | undefined
  readonly setupToken?: string | undefined
  readonly rememberEnabled?: boolean | undefined
  readonly rememberDays?: number | undefined
}

export interface CredentialsOutcome {
  readonly enabled: boolean
  readonly expiresAtMs?: number
  /** A new session; absent if the caller keeps theirs. */
  readonly signedIn?: SignedIn
}

interface CredentialsDependencies {
  readonly account: () => Account
  readonly config: Pick<ConfigService, 'change'>
  readonly sessions: Sessions
  readonly limiter: LoginLimiter
  readonly passwords: Passwords
  readonly setupToken: SetupToken
  readonly environment: AuthEnvironment
  readonly clock: Clock
  readonly audit: Audit
  readonly log: Logger
}

type SetCredentials = (input: CredentialsInput, client: AuthClient) => Promise<CredentialsOutcome>

export function createCredentials(deps: CredentialsDependencies): SetCredentials {
  const { account, config, sessions, limiter, passwords, setupToken, environment, clock, audit, log } = deps

  return async (input, client) => {
    const before = account()
    if (before.state === 'enabled' && client.session === null) {
      throw new PlayheadError('PLH_AUTH_FAILED', 'Sign in to change the account.', { wire: 'Unauthorized' })
    }
    const username = input.enabled ? checkedUsername(input.username) : before.username
    if (input.enabled) checkPassword(input.password, before)
    else if (!environment.allowNoAuth && !environment.loopbackOnly) throw disableNotAllowed()

    await prove(input, username, client, before)
    return input.enabled ? enable(input, username, client, before) : disable(client, before)
  }

  async function enable(
    input: CredentialsInput,
    username: string,
    client: AuthClient,
    before: Account,
  ): Promise<CredentialsOutcome> {
    const password = await passwordToStore(input, before)
    const rotates = before.state !== 'enabled' || username !== before.username || password !== before.password
    const credentialsId = rotates ? newCredentialsId() : before.credentialsId
    const remember = {
      remember_session_enabled: input.rememberEnabled ?? before.rememberEnabled,
      remember_session_days: rememberDays(input.rememberDays ?? before.rememberDays),
    }
    await save(before, (section) => {
      Object.assign(section, {
        enabled: true,
        username,
        password,
        credentials_id: credentialsId,
        disabled_at: 0,
        ...remember,
      })
      section['created_at'] ||= seconds(clock.now())
    })
    audit('credentials_updated', {
      address: client.address,
      fields: changedFields(before, { username, password, ...remember }),
    })

    if (!rotates) {
      const current = sessions.list().find(({ id }) => id === client.session?.id)
      return { enabled: true, ...(current === undefined ? {} : { expiresAtMs: sessionEndsAtMs(current) }) }
    }
    setupToken.used()
    const signedIn = await sessions.issue({
      username,
      credentialsId,
      method: 'password',
      persistent: remember.remember_session_enabled,
      address: client.address,
      userAgent: client.userAgent,
      replaces: 'all',
      isStillValid: () => account().credentialsId === credentialsId,
    })
    if (signedIn === undefined) throw changedMeanwhile()
    return { enabled: true, expiresAtMs: sessionEndsAtMs(signedIn.session), signedIn }
  }

  async function disable(client: AuthClient, before: Account): Promise<CredentialsOutcome> {
    await save(before, (section) => {
      Object.assign(section, { enabled: false, disabled_at: seconds(clock.now()), credentials_id: newCredentialsId() })
    })
    setupToken.used()
    await sessions.endAll()
    audit('credentials_updated', { address: client.address, fields: before.state === 'disabled' ? [] : ['enabled'] })
    log.warn('authentication was switched off: everybody who reaches this service can use and change everything')
    return { enabled: false }
  }

  async function prove(input: CredentialsInput, username: string, client: AuthClient, before: Account): Promise<void> {
    if (before.state === 'setup_required' || !before.configured) return proveSetup(input, client)
    const sensitive =
      !input.enabled || before.state === 'disabled' || username !== before.username || isGiven(input.password)
    if (!sensitive) return
    const attempt = input.currentPassword ?? input.password
    if (!isGiven(attempt)) throw currentPasswordRequired()
    const error = input.currentPassword === undefined ? currentPasswordRequired() : currentPasswordInvalid()
    await attemptProof(
      client,
      before.username,
      error,
      async () => (await passwords.verify(attempt, before.password)).matches,
    )
  }

  async function proveSetup(input: CredentialsInput, client: AuthClient): Promise<void> {
    if (client.local) return
    const attempt = input.setupToken
    if (!isGiven(attempt)) {
      setupToken.ensure()
      throw setupTokenRequired()
    }
    await attemptProof(client, '', setupTokenInvalid(), async () => setupToken.accepts(attempt))
  }

  // Failed proofs count as failed logins.
  async function attemptProof(
    client: AuthClient,
    username: string,
    error: PlayheadError,
    check: () => Promise<boolean>,
  ): Promise<void> {
    const verdict = await limiter.attempt(
      { address: client.address, username: nameKey(username), session: client.session?.id },
      async () => (await check()) || undefined,
    )
    if (verdict.kind === 'accepted') return
    recordRefusal(audit, verdict, { username, client })
    throw refusal(verdict, { status: error.status, wire: error.wire, helpUrl: '' })
  }

  async function passwordToStore(input: CredentialsInput, before: Account): Promise<PasswordRecord | undefined> {
    if (!isGiven(input.password)) return before.password
    // Without a current password in the request, the given one has just been proven to be the current one.
    const same =
      before.password !== undefined &&
      before.configured &&
      before.state !== 'setup_required' &&
      (input.currentPassword ?? input.password) === input.password
    return same ? before.password : passwords.hash(input.password)
  }

  // The proof was made against `before`; the change is rejected if another account was stored meanwhile.
  async function save(before: Account, apply: (section: ConfigDocument) => void): Promise<void> {
    await config.change('auth', (draft) => {
      const section = accountSection(draft)
      if (fingerprint(readAccount(section)) !== fingerprint(before)) throw changedMeanwhile()
      apply(section)
      section['reset_required'] = false
      delete section['setup']
      // The generated user interface settings of the first start become the user's.
      if (isObject(draft['ui'])) delete draft['ui']['_autogen']
    })
  }
}

function fingerprint({ state, username, password, credentialsId, setupTokenHash }: Account): string {
  return JSON.stringify([state, username, password?.hash, credentialsId, setupTokenHash])
}

function checkedUsername(given: string | undefined): string {
  const username = given?.trim() ?? ''
  if (username === '') throw invalid('Username is required')
  if (!/^\P{C}{1,64}$/u.test(username)) throw invalid('Username must be at most 64 printable characters')
  return username
}

function checkPassword(given: string | undefined, before: Account): void {
  if (!isGiven(given)) {
    if (before.password === undefined) throw invalid('Password is required')
    return
  }
  if (given.length < PASSWORD_MIN_LENGTH) throw invalid(`Password must be at least ${PASSWORD_MIN_LENGTH} characters`)
  if (given.length > PASSWORD_MAX_LENGTH) throw invalid(`Password must be at most ${PASSWORD_MAX_LENGTH} characters`)
}

function changedFields(
  before: Account,
  after: {
    username: string
    password: PasswordRecord | undefined
    remember_session_enabled: boolean
    remember_session_days: number
  },
): readonly string[] {
  const changes = {
    enabled: before.state !== 'enabled',
    username: before.username !== after.username,
    password: before.password !== after.password,
    remember_session_enabled: before.rememberEnabled !== after.remember_session_enabled,
    remember_session_days: before.rememberDays !== after.remember_session_days,
  }
  return Object.entries(changes)
    .filter(([, changed]) => changed)
    .map(([field]) => field)
}

function newCredentialsId(): string {
  return randomBytes(8).toString('hex')
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

const invalid = (text: string) => new PlayheadError('PLH_INVALID', text, { wire: text })

const currentPasswordRequired = () =>
  new PlayheadError('PLH_INVALID', 'Send the current password as current_password to change the account.', {
    wire: 'current_password_required',
  })
const currentPasswordInvalid = () =>
  new PlayheadError('PLH_FORBIDDEN', 'The current password is wrong.', { wire: 'current_password_invalid' })
const setupTokenInvalid = () =>
  new PlayheadError('PLH_FORBIDDEN', 'The setup token is wrong.', { wire: 'setup_token_invalid' })
const setupTokenRequired = () =>
  new PlayheadError(
    'PLH_FORBIDDEN',
    'Send the setup token from the console of the service as setup_token, or set it up from the machine it runs on.',
    { wire: 'setup_token_required' },
  )
const disableNotAllowed = () =>
  new PlayheadError(
    'PLH_INVALID',
    'Others can reach this service. To work without a password, start it with PLAYHEAD_ALLOW_NO_AUTH=1, or let it listen on loopback only.',
    { wire: 'auth_disable_not_allowed' },
  )
const changedMeanwhile = () =>
  new PlayheadError('PLH_CONFLICT', 'The account was changed meanwhile. Read its status and try again.', {
    wire: 'credentials_changed',
  })
