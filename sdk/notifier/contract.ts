// The contract of a notifier: a way to reach people, such as a chat, a phone or a mailbox. It has no rules; the
// notification service decides which messages are sent, to whom and when.
import { capabilityFamily } from '../capability.ts'
import type { PluginMark } from '../manifest.ts'

export const NOTIFICATION_SEVERITIES = ['info', 'warning', 'error'] as const
export type NotificationSeverity = (typeof NOTIFICATION_SEVERITIES)[number]

/** Plain text, without markup and without secrets. Titles are at most 200 characters, texts at most 8,000. */
export interface NotificationMessage {
  /** Equal for all tries of one delivery. */
  readonly id: string
  /** The kind of event, for example `run_failed`; `group` for several in one message, `test` for the Test button. */
  readonly event: string
  readonly title: string
  readonly text: string
  readonly severity: NotificationSeverity
  /** The time of the event; epoch milliseconds. */
  readonly atMs: number
  /** A page of Playhead. Only if the address of Playhead is in the settings. */
  readonly url?: string
  /** An earlier try may have arrived. */
  readonly repeat?: boolean
  /** Facts for programs, with keys of the event. */
  readonly data?: Readonly<Record<string, unknown>>
}

export interface NotifierDescription {
  /** As in `provides` of plugin.json: `notifier:<id>`. */
  readonly id: string
  /** The name that people know. */
  readonly label: string
  /** Where people find the values for the settings. */
  readonly hint?: string
  /** JSON schema of the settings of one target. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Its targets come from elsewhere, and cannot be saved or removed. */
  readonly fixed?: boolean
  /** The icon of plugin.json. Absent: there is none. */
  readonly mark?: PluginMark
}

/** A destination of messages. */
export interface NotifierTarget {
  /** `<notifier>-<letters and digits>`, unique. */
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  /** Secrets are masked. */
  readonly settings: Readonly<Record<string, unknown>>
}

/** The object that `defineNotifier` provides. Targets, with their secrets, are in the settings of its plugin. */
export interface Notifier {
  describe(): NotifierDescription
  targets(): readonly NotifierTarget[]
  /**
   * Creates or replaces a target. Masked secrets keep the stored value, unless the address that they belong to changed
   * (`PLH_INVALID`). Throws `PLH_CONFIG_INVALID` for settings against the schema (`details.problems`).
   */
  save(target: NotifierTarget): Promise<void>
  /** False: there is none. */
  remove(id: string): Promise<boolean>
  /**
   * Sends one message, once: the caller repeats it. Resolves when the service has it. Throws `PLH_RATE_LIMITED` (with
   * `retryAfterMs`), `PLH_AUTH_FAILED`, `PLH_INVALID` and 4xx if a repeat cannot help, otherwise another error.
   */
  send(targetId: string, message: NotificationMessage, signal: AbortSignal): Promise<void>
}

/** All notifiers: `notifier:discord`, `notifier:ntfy`. */
export const NOTIFIERS = capabilityFamily<Notifier>('notifier:')
