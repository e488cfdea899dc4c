// Apprise API: POST /notify/{key}; the server stores the services of the key. 424: one of them rejected the message.
import { Type } from '@playhead/sdk'
import { defineNotifier, type NotificationSeverity } from '@playhead/sdk/notifier'

const TYPES: Readonly<Record<NotificationSeverity, string>> = { info: 'info', warning: 'warning', error: 'failure' }

export default defineNotifier({
  id: 'apprise',
  hint: 'The key is the name of the configuration on the Apprise API server.',
  settings: Type.Object({
    server: Type.String({ minLength: 1, description: 'For example http://apprise:8000' }),
    config_key: Type.String({ secret: true, boundTo: 'server', pattern: '^[\\w-]{0,128}$' }),
    tag: Type.String({
      default: '',
      maxLength: 200,
      description: 'Sends only to services with this tag. Leave empty for all.',
    }),
  }),
  send: ({ settings: { server, config_key: key, tag }, message, request }) =>
    request(`${server.replace(/\/+$/, '')}/notify/${encodeURIComponent(key)}`, {
      json: {
        title: message.title,
        body: `${message.text === '' ? message.title : message.text}${message.url === undefined ? '' : `\n\n${message.url}`}`,
        type: TYPES[message.severity],
        format: 'text',
        ...(tag === '' ? {} : { tag }),
      },
    }),
})
