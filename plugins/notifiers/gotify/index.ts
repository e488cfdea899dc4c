// Gotify: POST /message with the token of an application. Priorities are 0 to 10; from 8 on, phones play a sound.
import { Type } from '@playhead/sdk'
import { defineNotifier, type NotificationSeverity } from '@playhead/sdk/notifier'

const PRIORITIES: Readonly<Record<NotificationSeverity, number>> = { info: 4, warning: 6, error: 8 }

export default defineNotifier({
  id: 'gotify',
  hint: 'In Gotify, open Apps, then Create application, and copy its token.',
  settings: Type.Object({
    server: Type.String({ minLength: 1, description: 'For example https://gotify.example.org' }),
    app_token: Type.String({ secret: true, boundTo: 'server' }),
  }),
  send: ({ settings: { server, app_token: token }, message, request }) =>
    request(`${server.replace(/\/+$/, '')}/message`, {
      headers: { 'x-gotify-key': token },
      json: {
        title: message.title,
        message: message.text === '' ? message.title : message.text,
        priority: PRIORITIES[message.severity],
        extras: {
          'client::display': { contentType: 'text/plain' },
          ...(message.url === undefined ? {} : { 'client::notification': { click: { url: message.url } } }),
        },
      },
    }),
})
