// Slack: an incoming webhook. `&`, `<` and `>` are markup (<!channel> notifies the whole channel) unless they are escaped.
import { Type } from '@playhead/sdk'
import { defineNotifier, type NotificationSeverity } from '@playhead/sdk/notifier'

const COLORS: Readonly<Record<NotificationSeverity, string>> = { info: '#3498db', warning: '#f1c40f', error: '#e74c3c' }
const MAX_TEXT = 3_000

export default defineNotifier({
  id: 'slack',
  hint: 'In Slack, create an app with an incoming webhook for the channel, and copy the webhook URL.',
  settings: Type.Object({ webhook_url: Type.String({ secret: true }) }),
  send: ({ settings, message, request }) => {
    const title = escapeMarkup(message.title)
    return request(settings.webhook_url, {
      json: {
        text: title,
        attachments: [
          {
            color: COLORS[message.severity],
            fallback: title,
            text: escapeMarkup(cut(message.text)),
            // Plain text without bold and lists.
            mrkdwn_in: [],
            ts: Math.floor(message.atMs / 1_000),
            ...(message.url === undefined ? {} : { title: 'Playhead', title_link: message.url }),
          },
        ],
      },
    })
  },
})

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`
}
