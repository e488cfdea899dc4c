// What happened to accounts and sessions, for the event archive. An event names things and never holds a value that
// grants access; what a stranger typed is cut to a length that cannot flood the archive.
import type { EventBus, Logger } from '@playhead/sdk'

export type AuditEvent =
  | 'login'
  | 'login_failed'
  | 'login_blocked'
  | 'logout'
  | 'logout_all'
  | 'logout_others'
  | 'credentials_updated'
  | 'account_linked'
  | 'account_unlinked'

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
}
const WARNINGS: ReadonlySet<AuditEvent> = new Set(['login_failed', 'login_blocked'])

export function createAudit({ events, log }: { readonly events: Pick<EventBus, 'emit'>; readonly log: Logger }): Audit {
  return (event, facts) => {
    log[WARNINGS.has(event) ? 'warn' : 'info'](facts, TEXTS[event])
    try {
      events.emit(`auth.${event}`, facts)
    } catch (error) {
      // The request goes on: a full archive must not keep people out, or in.
      log.error({ err: error, event }, 'an audit event could not be recorded')
    }
  }
}

/** A name as somebody typed it, fit for a record. */
export function cappedName(name: string): string {
  return name.replace(/\p{C}/gu, '').slice(0, MAX_NAME_LENGTH)
}
