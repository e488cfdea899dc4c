// Audit events of accounts and sessions. Events never contain credentials; user input is truncated, so that it cannot
// flood the archive.
import type { EventBus, Logger } from '@playhead/sdk'

type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_blocked'
  | 'logout'
  | 'logout_all'
  | 'logout_others'
  | 'credentials_updated'
  | 'account_linked'
  | 'account_unlinked'
  | 'token_created'
  | 'token_revoked'
  | 'token_refused'
  | 'token_blocked'

export type Audit = (event: AuditEvent, facts: Readonly<Record<string, unknown>>) => void

const MAX_NAME_LENGTH = 64

const TEXTS: Readonly<Record<AuditEvent, string>> = {
  login: 'signed in',
  login_failed: 'a sign-in failed',
  login_blocked: 'sign-ins are refused for a while after too many failures',
  logout: 'signed out',
  logout_all: 'all sessions were signed out',
  logout_others: 'all other sessions were signed out',
  credentials_updated: 'the account was changed',
  account_linked: 'an account of a third party may sign in',
  account_unlinked: 'the account of a third party may not sign in any more',
  token_created: 'an API token was made',
  token_revoked: 'an API token was revoked',
  token_refused: 'a request was refused: its token is wrong',
  token_blocked: 'tokens from an address are refused for a while after too many wrong ones',
}
const WARNINGS: ReadonlySet<AuditEvent> = new Set(['login_failed', 'login_blocked', 'token_refused', 'token_blocked'])

export function createAudit({ events, log }: { readonly events: Pick<EventBus, 'emit'>; readonly log: Logger }): Audit {
  return (event, facts) => {
    log[WARNINGS.has(event) ? 'warn' : 'info'](facts, TEXTS[event])
    try {
      events.emit(`auth.${event}`, facts)
    } catch (error) {
      // A failing archive must neither block nor allow a request.
      log.error({ err: error, event }, 'an audit event could not be recorded')
    }
  }
}

/** Truncates a name that a client sent. */
export function cappedName(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, MAX_NAME_LENGTH)
}
