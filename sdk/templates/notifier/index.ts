// Sends messages to a server, as JSON with a token.
import { Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'

export default defineNotifier({
  id: 'acme',
  label: 'Acme',
  hint: 'The token is in the settings of your Acme server.',
  settings: Type.Object({
    server: Type.String({ minLength: 1, description: 'Its address, for example https://acme.example.org' }),
    // A token is only sent to the address that it was entered for.
    token: Type.String({ secret: true, boundTo: 'server' }),
  }),
  // Send once and report the truth: an error is retried, a resolved promise means that the message arrived.
  send: ({ settings, message, request }) =>
    request(`${settings.server}/messages`, {
      headers: { authorization: `Bearer ${settings.token}` },
      json: { title: message.title, text: message.text, urgent: message.severity === 'error', link: message.url },
    }),
})
