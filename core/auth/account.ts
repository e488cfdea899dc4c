// Application authentication for the rest of the core.
//
//   setup_required --credentials--> enabled --disable--> disabled --credentials--> enabled
//        ^-------------------- reset (offline, or by the environment) ----------------'
//
// Disabling opens the service, but the account remains and its password is required to change anything about it. Only a
// reset leads back to setup.
import {
  callerName,
  isPlayheadError,
  type Caller,
  type CallerSession,
  type EventBus,
  type ExternalSignIn,
  type Logger,
} from '@playhead/sdk'
import type { Clock } from '../clock.ts'
import type { ConfigService } from '../config/contract.ts'
import { ConfigUnavailableError } from '../config/contract.ts'
import type { GateAuth } from '../http/access/gate.ts'
import { createAudit } from './audit.ts'
import type { ApiTokens, NewApiToken } from './api-tokens.ts'
import type { AuthClient, AuthEnvironment, SignedIn } from './client.ts'
import { createCredentials, type CredentialsInput, type CredentialsOutcome } from './credentials.ts'
import { createLogin, type LoginInput } from './login.ts'
import type { LoginLimiter } from './login-limiter.ts'
import { createPasswords, type Passwords } from './password.ts'
import { perDocument } from './per-document.ts'
import { applyEnvironmentReset } from './reset.ts'
import type { Sessions } from './sessions.ts'
import { createSetupToken } from './setup-token.ts'
import { createExternalSignIn } from './external-sign-in.ts'
import { readAccount, type Account } from './stored-account.ts'
import { isApiToken, type ApiToken } from './token-table.ts'
import { defined } from '@playhead/sdk/host'

export interface Auth extends GateAuth {
  account(): Account
  /** At start: applies a reset that the environment requests, logs warnings, creates the setup token. */
  start(): Promise<void>
  login(input: LoginInput, client: AuthClient): Promise<SignedIn>
  setCredentials(input: CredentialsInput, client: AuthClient): Promise<CredentialsOutcome>
  logout(session: CallerSession, address: string): Promise<void>
  logoutAll(address: string): Promise<void>
  logoutOthers(session: CallerSession | null, address: string): Promise<void>
  createToken(request: Omit<NewApiToken, 'by'>, caller: Caller): Promise<{ secret: string; token: ApiToken }>
  revokeToken(id: string, caller: Caller): Promise<void>
  /** For plugins that declare `needs.signIn`. */
  readonly externalSignIn: ExternalSignIn
}

interface AuthDependencies {
  readonly config: Pick<ConfigService, 'current' | 'change'>
  readonly sessions: Sessions
  readonly limiter: LoginLimiter
  readonly tokens: ApiTokens
  /** Counts wrong tokens apart from wrong passwords: a forgotten script must not lock its owner out. */
  readonly tokenLimiter: LoginLimiter
  readonly clock: Clock
  readonly log: Logger
  readonly events: Pick<EventBus, 'emit'>
  readonly environment: AuthEnvironment
  readonly passwords?: Passwords
  /** Prints a line to the operator's console. */
  readonly announce?: (text: string) => void
  readonly forgotHelpUrl?: string
}

export function createAuth(deps: AuthDependencies): Auth {
  const { config, sessions, limiter, tokens, clock, log, environment } = deps
  const account = perDocument(config, (document) => readAccount(document['app_auth']))
  const audit = createAudit(deps)
  const passwords = deps.passwords ?? createPasswords()
  const setupToken = createSetupToken({
    fromEnvironment: environment.setupToken,
    storedHash: () => account().setupTokenHash,
    announce: deps.announce ?? ((text) => void process.stderr.write(`${text}\n`)),
  })
  const shared = { account, config, sessions, limiter, passwords, audit, log }

  return {
    account,
    state: (document) => account(document).state,
    session: liveSession,
    // A right token is never refused for wrong ones of the same address, where several scripts may run: with 256 random
    // bits, guessing is hopeless anyway.
    apiToken(text, address) {
      if (!isApiToken(text)) return null
      const token = tokens.find(text)
      if (token === undefined) return { kind: 'unknown' }
      if (tokens.hasExpired(token)) return { kind: 'expired' }
      tokens.used(token.id, address)
      const { id, name, scope } = token
      return { kind: 'valid', token: { id, name, scope } }
    },
    async wrongToken(address, check = async () => false) {
      const verdict = await deps.tokenLimiter
        .attempt({ address, username: address }, async () => ((await check()) ? true : undefined))
        .catch((error: unknown) => {
          // The queue for verification is full.
          if (!isPlayheadError(error, 'PLH_TOO_MANY')) throw error
          return { kind: 'busy', retryAfterS: Math.ceil((error.retryAfterMs ?? 0) / 1_000) } as const
        })
      if (verdict.kind === 'busy') return { kind: 'blocked', retryAfterS: verdict.retryAfterS }
      if (verdict.kind === 'accepted') return { kind: 'accepted' }
      const { attempts, retryAfterS } = verdict
      if (verdict.kind === 'failed') audit('token_refused', { address, attempts })
      else if (!verdict.reported) audit('token_blocked', { address, attempts, retry_after: retryAfterS })
      return retryAfterS > 0 ? { kind: 'blocked', retryAfterS } : { kind: 'refused' }
    },
    async start() {
      try {
        await begin()
      } catch (error) {
        // Meanwhile the gate refuses every request; the service keeps running to say so.
        if (!(error instanceof ConfigUnavailableError)) throw error
        log.error({ err: error }, 'sign-in is impossible while the configuration cannot be read')
      }
    },
    login: createLogin({ ...shared, forgotHelpUrl: deps.forgotHelpUrl ?? '' }),
    setCredentials: createCredentials({ ...shared, setupToken, environment, clock }),
    async logout(session, address) {
      await sessions.end(session.id)
      audit('logout', { username: session.username, address, session: session.id })
    },
    async logoutAll(address) {
      await sessions.endAll()
      audit('logout_all', { address })
    },
    async logoutOthers(session, address) {
      await sessions.endOthers(session?.id ?? '')
      audit('logout_others', { address })
    },
    async createToken(request, { token, session, address }) {
      const by = callerName({ token, session }) ?? 'anonymous'
      const made = await tokens.create({ ...request, by: { token, name: by } })
      const { id, name, scope, expiresAtMs } = made.token
      audit('token_created', { id, name, scope, expires_at: expiresAtMs, by, address })
      return made
    },
    async revokeToken(id, { token, session, address }) {
      const { name } = await tokens.revoke(id)
      audit('token_revoked', { id, name, by: callerName({ token, session }) ?? 'anonymous', address })
    },
    externalSignIn: createExternalSignIn({
      ...shared,
      clock,
      publicUrl: environment.publicUrl ?? null,
      ...defined({ basePath: environment.basePath }),
      sessionOf: liveSession,
    }),
  }

  function liveSession(...[token, document]: Parameters<GateAuth['session']>): ReturnType<GateAuth['session']> {
    const { state, credentialsId } = account(document)
    if (state !== 'enabled') return undefined
    const session = sessions.find(token)
    return session?.credentialsId === credentialsId ? session : undefined
  }

  async function begin(): Promise<void> {
    if (environment.authReset !== null)
      await applyEnvironmentReset({ account, config, log, marker: environment.authReset })
    const { state, configured } = account()
    if (state !== 'enabled') await sessions.endAll()
    // After a reset the tokens of the former account must not let anyone in.
    if (state === 'setup_required') await tokens.revokeAll()
    if (state === 'disabled')
      log.warn('authentication is switched off: everybody who reaches this service can use and change everything')
    if ((state === 'setup_required' || !configured) && !environment.loopbackOnly) setupToken.ensure()
  }
}
