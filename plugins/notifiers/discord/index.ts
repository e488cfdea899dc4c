// Discord: an embed, sent by executing a webhook of a channel. Titles are at most 256 characters, descriptions 4096.
import { defined, PlayheadError, Type } from '@playhead/sdk'
import { defineNotifier, type NotificationSeverity } from '@playhead/sdk/notifier'

const COLORS: Readonly<Record<NotificationSeverity, number>> = {
  info: 0x34_98_db,
  warning: 0xf1_c4_0f,
  error: 0xe7_4c_3c,
}
const MAX_TITLE = 256
const MAX_TEXT = 4_096

export default defineNotifier({
  id: 'discord',
  hint: 'In Discord, open the settings of the channel, Integrations, Webhooks, then Copy Webhook URL.',
  settings: Type.Object({
    webhook_url: Type.String({ secret: true }),
    username: Type.String({
      default: '',
      maxLength: 80,
      description: 'Shown as the sender. Leave empty to use the name of the webhook.',
    }),
  }),
  async send({ settings: { webhook_url: address, username }, message, request }) {
    const url = URL.parse(address)
    if (url === null) throw new PlayheadError('PLH_INVALID', 'The webhook address is not valid.')
    // With `wait`, the response shows whether the message was stored.
    url.searchParams.set('wait', 'true')
    await request(url.href, {
      json: {
        ...(username === '' ? {} : { username }),
        embeds: [
          {
            title: cut(message.title, MAX_TITLE),
            description: cut(escapeMarkdown(message.text), MAX_TEXT),
            color: COLORS[message.severity],
            timestamp: new Date(message.atMs).toISOString(),
            ...defined({ url: message.url }),
          },
        ],
        // Titles of works must not mention users.
        allowed_mentions: { parse: [] },
      },
    })
  },
})

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_~`|>#[\]()]/g, String.raw`\$&`)
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}
