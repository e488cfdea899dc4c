// Telling people: by the rules that they made, or to one target.
import { capability } from '../capability.ts'
import type { NotificationMessage, NotificationSeverity } from '../notifier/contract.ts'

export const NOTIFICATIONS = capability<NotificationService>('notifications')

/** Something that people may want to be told. Plain text, without secrets. */
export interface Notice {
  /** Rules name it: one of `GET /api/notifications`, or the plugin's own, for example `acme.full`. */
  readonly event: string
  readonly title: string
  readonly text: string
  readonly severity: NotificationSeverity
  /** Default: now. Epoch milliseconds. */
  readonly atMs?: number
  /** Page of the browser application, beginning with `/`. */
  readonly path?: string
  /** A second notice with the same key within a day is not told again. */
  readonly key?: string
  readonly data?: NotificationMessage['data']
}

export interface NotificationService {
  /** Stores it for all rules that want it; resolves to the number of deliveries. It is sent soon, or when the rules say. */
  tell(notice: Notice): Promise<number>
  /** Stores it for one target, whatever the rules say; resolves to the id in the log. */
  deliver(target: { readonly id: string; readonly name: string }, notice: Notice): Promise<string>
}
