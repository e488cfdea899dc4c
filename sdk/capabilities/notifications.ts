// Notifies people: by their rules, or at one target.
import { capability } from '../capability.ts'
import type { NotificationMessage, NotificationSeverity } from '../notifier/contract.ts'

export const NOTIFICATIONS = capability<NotificationService>('notifications')

/** An event that people may want to be notified of. Plain text, without secrets. */
export interface Notice {
  /** The name for rules: one of `GET /api/notifications`, or the plugin's own, for example `acme.full`. */
  readonly event: string
  readonly title: string
  readonly text: string
  readonly severity: NotificationSeverity
  /** Default: now. Epoch milliseconds. */
  readonly atMs?: number
  /** Page of the browser application, beginning with `/`. */
  readonly path?: string
  /** Notices with the same key within a day are sent only once. */
  readonly key?: string
  readonly data?: NotificationMessage['data']
}

export interface NotificationService {
  /** Stores it for all matching rules; resolves to the number of deliveries. Sent soon, or when the rules say so. */
  tell(notice: Notice): Promise<number>
  /** Stores it for one target, regardless of rules; resolves to the id in the log. */
  deliver(target: { readonly id: string; readonly name: string }, notice: Notice): Promise<string>
}
