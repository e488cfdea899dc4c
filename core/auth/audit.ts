// What happened to accounts and sessions, for the event archive. An event names things and never holds a value that grants
// access; what a stranger typed is cut to a length that cannot flood the archive.
import type { EventBus, Logger } from '@playhead/sdk'

export type AuditEvent = 'login' | 'login_failed' | 'login_blocked' | 'logout' | 'logout_all' | 'logout_others' | 'credentials_updated'
  | 'mediaA_sso_linked' | 'mediaA_sso_unlinked'

export type Audit = (event: AuditEvent, facts: Readonly<Record<string, unknown>>) => void

const MAX_NAME_LENGTH = 64

export function createAudit({ events, log }: { readonly events: Pick<EventBus, 'emit'>; readonly log: Logger }): Audit {
  return (event, facts) => {
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
