// ntfy: messages published as JSON to the root of the server (docs.ntfy.sh/publish).
import { defined, Type } from '@playhead/sdk'
import { defineNotifier, type NotificationSeverity } from '@playhead/sdk/notifier'

/** 1 (min) to 5 (max). */
const PRIORITIES: Readonly<Record<NotificationSeverity, number>> = { info: 3, warning: 4, error: 5 }
const TAGS: Readonly<Record<NotificationSeverity, string>> = {
  info: 'information_source',
  warning: 'warning',
  error: 'rotating_light',
}
/** A longer message becomes an attachment. */
const MAX_BYTES = 4_000

export default defineNotifier({
  id: 'ntfy',
  hint: 'The topic is like a password: anyone who knows it can read the messages, unless the server protects it.',
  settings: Type.Object({
    server: Type.String({ default: 'https://ntfy.sh', minLength: 1 }),
    topic: Type.String({ secret: true, boundTo: 'server', pattern: '^[A-Za-z0-9_-]{0,64}$' }),
    access_token: Type.String({
      default: '',
      secret: true,
      boundTo: 'server',
      description: 'Only for protected topics.',
    }),
  }),
  send: ({ settings: { server, topic, access_token: token }, message, request }) =>
    request(server, {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      json: {
        topic,
        title: message.title,
        message: shorten(message.text),
        priority: PRIORITIES[message.severity],
        tags: [TAGS[message.severity]],
        ...defined({ click: message.url }),
      },
    }),
})

function shorten(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  let kept = text.slice(0, MAX_BYTES)
  while (Buffer.byteLength(kept) > MAX_BYTES - 4) kept = kept.slice(0, -50)
  return `${kept.toWellFormed()}…`
}
