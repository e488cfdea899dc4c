// Pushover: POST /1/messages.json. Titles have at most 250 characters, messages 1024, and a message is required.
import { Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'

const MAX_TITLE = 250
const MAX_TEXT = 1_024

export default defineNotifier({
  id: 'pushover',
  hint: 'The user key is at pushover.net. The token is the one of an application that you register there.',
  settings: Type.Object({
    server: Type.String({ default: 'https://api.pushover.net', minLength: 1 }),
    app_token: Type.String({ secret: true, boundTo: 'server' }),
    user_key: Type.String({ secret: true, boundTo: 'server' }),
    device: Type.String({ default: '', maxLength: 100, description: 'Leave empty for all devices.' }),
  }),
  send: ({ settings: { server, app_token: token, user_key: user, device }, message, request }) =>
    request(`${server.replace(/\/+$/, '')}/1/messages.json`, {
      form: {
        token,
        user,
        title: cut(message.title, MAX_TITLE),
        message: cut(message.text === '' ? message.title : message.text, MAX_TEXT),
        // High priority: bypasses the quiet hours of the phone without requiring a confirmation.
        priority: message.severity === 'error' ? '1' : '0',
        timestamp: String(Math.floor(message.atMs / 1_000)),
        ...(device === '' ? {} : { device }),
        ...(message.url === undefined ? {} : { url: message.url, url_title: 'Playhead' }),
      },
    }),
})

// Limits count characters, which may be two UTF-16 units.
function cut(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
