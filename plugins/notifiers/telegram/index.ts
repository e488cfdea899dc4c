// Telegram: sendMessage of the Bot API, without markup. Messages are at most 4096 UTF-16 units.
import { Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'

const MAX_TEXT = 4_096

export default defineNotifier({
  id: 'telegram',
  hint: 'Get the token from @BotFather. Write to the bot once, or add it to a group. The chat ID is then in its getUpdates.',
  settings: Type.Object({
    server: Type.String({ default: 'https://api.telegram.org', minLength: 1 }),
    bot_token: Type.String({ secret: true, boundTo: 'server', pattern: '^[0-9]+:[A-Za-z0-9_-]+$|^$' }),
    chat_id: Type.String({ pattern: '^(-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})$' }),
    topic_id: Type.Integer({ default: 0, minimum: 0, description: 'The topic of a group. 0 means no topic.' }),
  }),
  send: ({ settings: { server, bot_token: token, chat_id: chat, topic_id: topic }, message, request }) =>
    request(`${server.replace(/\/+$/, '')}/bot${token}/sendMessage`, {
      json: {
        chat_id: chat,
        text: textOf([message.title, message.text], message.url),
        disable_notification: message.severity === 'info',
        link_preview_options: { is_disabled: true },
        ...(topic === 0 ? {} : { message_thread_id: topic }),
      },
    }),
})

function textOf(parts: readonly string[], url: string | undefined): string {
  const end = url === undefined ? '' : `\n\n${url}`
  const text = parts.filter((part) => part !== '').join('\n\n')
  const max = MAX_TEXT - end.length
  return (text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`) + end
}
