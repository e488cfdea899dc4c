// Signing in with name and password.
import { defined, PlayheadError, sameText, type Logger } from '@playhead/sdk'
import type { ConfigService } from '../config/contract.ts'
import { cappedName, type Audit } from './audit.ts'
import type { AuthClient, SignedIn } from './client.ts'
import type { LoginLimiter, Verdict } from './login-limiter.ts'
import type { PasswordRecord, Passwords } from './password.ts'
import type { Sessions } from './sessions.ts'
import { accountSection, nameKey, readAccount, type Account } from './stored-account.ts'

export interface LoginInput {
  readonly username: string
  readonly password: string
  readonly remember: boolean
}

interface LoginDependencies {
  readonly account: () => Account
  readonly config: Pick<ConfigService, 'change'>
  readonly sessions: Sessions
  readonly limiter: LoginLimiter
  readonly passwords: Passwords
  readonly audit: Audit
  readonly log: Logger
  /** Help page for forgotten passwords; empty for none. */
  readonly forgotHelpUrl: string
}

export function createLogin(deps: LoginDependencies): (input: LoginInput, client: AuthClient) => Promise<SignedIn> {
  const { account, sessions, limiter, passwords, audit, log } = deps

  return async (input, client) => {
    if (account().state !== 'enabled') {
      throw new PlayheadError('PLH_INVALID', 'Create an account first; no password is set.', {
        wire: 'Authentication is not configured',
      })
    }
    const verdict = await limiter.attempt(
      { address: client.address, username: nameKey(input.username), session: client.session?.id },
      () => check(input, client),
    )
    if (verdict.kind !== 'accepted') {
      recordRefusal(audit, verdict, { username: input.username, client })
      throw refusal(verdict, { status: 401, wire: 'Invalid credentials', helpUrl: deps.forgotHelpUrl })
    }
    const { signedIn, outdated } = verdict.value
    if (outdated !== undefined) await renew(input.password, outdated)
    audit('login', {
      username: signedIn.session.username,
      address: client.address,
      method: 'password',
      session: signedIn.session.id,
    })
    return signedIn
  }

  async function check(input: LoginInput, client: AuthClient): Promise<Checked | undefined> {
    const { username, password, credentialsId } = account()
    const { matches, needsRehash } = await passwords.verify(
      input.password,
      sameText(nameKey(input.username), nameKey(username)) ? password : undefined,
    )
    if (!matches) return undefined
    const signedIn = await sessions.issue({
      username,
      credentialsId,
      method: 'password',
      persistent: input.remember,
      address: client.address,
      userAgent: client.userAgent,
      ...defined({ replaces: client.session?.id }),
      // The password may have changed during the check.
      isStillValid() {
        const now = account()
        return now.state === 'enabled' && now.credentialsId === credentialsId && now.password?.hash === password?.hash
      },
    })
    return signedIn && { signedIn, outdated: needsRehash ? password : undefined }
  }

  async function renew(password: string, outdated: PasswordRecord): Promise<void> {
    try {
      const renewed = await passwords.hash(password)
      await deps.config.change('auth', (draft) => {
        const section = accountSection(draft)
        if (readAccount(section).password?.hash === outdated.hash) section['password'] = renewed
      })
    } catch (error) {
      // The login succeeded; the next one retries the rehash.
      log.warn({ err: error }, 'the stored password could not be brought to the current scheme')
    }
  }
}

interface Checked {
  readonly signedIn: SignedIn
  /** The stored password, if it needs a rehash. */
  readonly outdated: PasswordRecord | undefined
}

type Refused = Exclude<Verdict<unknown>, { kind: 'accepted' }>

/** Records a failed or blocked attempt; only the first refusal of a lock. */
export function recordRefusal(
  audit: Audit,
  verdict: Refused,
  who: { readonly username: string; readonly client: AuthClient },
): void {
  const facts = { username: cappedName(who.username), address: who.client.address, attempts: verdict.attempts }
  if (verdict.kind === 'failed') audit('login_failed', facts)
  else if (!verdict.reported) audit('login_blocked', { ...facts, retry_after: verdict.retryAfterS })
}

interface PlainRefusal {
  readonly status: number
  readonly wire: string
  readonly helpUrl: string
}

/** The error of a failed attempt, or 429 for a locked client. */
export function refusal(verdict: Refused, plain: PlainRefusal): PlayheadError {
  const locked = verdict.kind === 'blocked' || verdict.retryAfterS > 0
  const wait = `Try again in ${verdict.retryAfterS}s`
  const wire = !locked ? plain.wire : verdict.kind === 'blocked' ? wait : `Too many failed attempts. ${wait}`
  return new PlayheadError(locked ? 'PLH_TOO_MANY' : 'PLH_AUTH_FAILED', wire, {
    status: locked ? 429 : plain.status,
    wire,
    ...(locked ? { retryAfterMs: verdict.retryAfterS * 1000 } : {}),
    details: {
      attempts: verdict.attempts,
      retry_after: verdict.retryAfterS,
      show_help_banner: verdict.attempts >= 3,
      forgot_help_url: plain.helpUrl,
    },
  })
}
