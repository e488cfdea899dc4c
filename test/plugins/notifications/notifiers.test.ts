// The notifiers against servers in the services' formats, with and without failures.
import type { DefinedPlugin, NotificationMessage } from '@playhead/sdk'
import { NOTIFIERS } from '@playhead/sdk'
import {
  checkNotifier,
  createTestHost,
  type ReceivedRequest,
  startServer,
  type TestServer,
} from '@playhead/sdk/testing'
import t from 'tap'
import apprise from '../../../plugins/notifiers/apprise/index.ts'
import discord from '../../../plugins/notifiers/discord/index.ts'
import gotify from '../../../plugins/notifiers/gotify/index.ts'
import ntfy from '../../../plugins/notifiers/ntfy/index.ts'
import pushover from '../../../plugins/notifiers/pushover/index.ts'
import slack from '../../../plugins/notifiers/slack/index.ts'
import telegram from '../../../plugins/notifiers/telegram/index.ts'
import webhook from '../../../plugins/notifiers/webhook/index.ts'

const MESSAGE: NotificationMessage = {
  id: 'd1',
  event: 'run_failed',
  title: 'A sync failed',
  text: 'Two *things* went\nwrong.',
  severity: 'error',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  url: 'https://playhead.example.org/runs/1',
}

const manifestOf = (name: string) => new URL(`../../../plugins/notifiers/${name}/plugin.json`, import.meta.url)

interface Case {
  readonly name: string
  readonly plugin: DefinedPlugin
  readonly settings: (server: string) => Readonly<Record<string, unknown>>
  readonly expect: object
  readonly body: object
}

const CASES: readonly Case[] = [
  {
    name: 'ntfy',
    plugin: ntfy,
    settings: (server) => ({ server, topic: 'my-secret-topic', access_token: 'tk_secret_token' }),
    expect: { method: 'POST', path: '/', headers: { authorization: 'Bearer tk_secret_token' } },
    body: { topic: 'my-secret-topic', title: MESSAGE.title, message: MESSAGE.text, priority: 5, click: MESSAGE.url },
  },
  {
    name: 'discord',
    plugin: discord,
    settings: (server) => ({ webhook_url: `${server}/api/webhooks/123/secret-of-the-hook` }),
    expect: { method: 'POST', path: '/api/webhooks/123/secret-of-the-hook' },
    body: {
      allowed_mentions: { parse: [] },
      embeds: [
        { title: MESSAGE.title, description: 'Two \\*things\\* went\nwrong.', timestamp: '2026-01-02T03:04:05.000Z' },
      ],
    },
  },
  {
    name: 'webhook',
    plugin: webhook,
    settings: (server) => ({
      url: `${server}/hooks/secret-path?key=secret-key-of-mine`,
      template: '{"t": {{json title}}, "x": {{json text}}, "s": "{{severity}}"}',
      header: 'Authorization: Bearer secret-header',
    }),
    expect: { method: 'POST', path: '/hooks/secret-path', headers: { authorization: 'Bearer secret-header' } },
    body: { t: MESSAGE.title, x: MESSAGE.text, s: 'error' },
  },
  {
    name: 'gotify',
    plugin: gotify,
    settings: (server) => ({ server, app_token: 'A-secret-app-token' }),
    expect: { method: 'POST', path: '/message', headers: { 'x-gotify-key': 'A-secret-app-token' } },
    body: {
      title: MESSAGE.title,
      message: MESSAGE.text,
      priority: 8,
      extras: { 'client::notification': { click: { url: MESSAGE.url } } },
    },
  },
  {
    name: 'pushover',
    plugin: pushover,
    settings: (server) => ({ server, app_token: 'secret-app-token', user_key: 'secret-user-key' }),
    expect: { method: 'POST', path: '/1/messages.json' },
    body: {
      token: 'secret-app-token',
      user: 'secret-user-key',
      title: MESSAGE.title,
      message: MESSAGE.text,
      priority: '1',
      url: MESSAGE.url,
    },
  },
  {
    name: 'telegram',
    plugin: telegram,
    settings: (server) => ({ server, bot_token: '123456:secret-bot_token', chat_id: '-100123' }),
    expect: { method: 'POST', path: '/bot123456:secret-bot_token/sendMessage' },
    body: {
      chat_id: '-100123',
      text: `${MESSAGE.title}\n\n${MESSAGE.text}\n\n${MESSAGE.url}`,
      disable_notification: false,
    },
  },
  {
    name: 'slack',
    plugin: slack,
    settings: (server) => ({ webhook_url: `${server}/services/T0/B0/secret-of-slack` }),
    expect: { method: 'POST', path: '/services/T0/B0/secret-of-slack' },
    body: { text: MESSAGE.title, attachments: [{ color: '#e74c3c', text: MESSAGE.text, mrkdwn_in: [] }] },
  },
  {
    name: 'apprise',
    plugin: apprise,
    settings: (server) => ({ server, config_key: 'secret-config-key', tag: 'family' }),
    expect: { method: 'POST', path: '/notify/secret-config-key' },
    body: { title: MESSAGE.title, type: 'failure', format: 'text', tag: 'family' },
  },
]

async function open({ name, plugin }: Pick<Case, 'name' | 'plugin'>) {
  const host = await createTestHost({ plugin, manifest: manifestOf(name) })
  return { host, notifier: host.capability(NOTIFIERS.of(name)), signal: AbortSignal.timeout(10_000) }
}

function bodyOf(request: ReceivedRequest | undefined): unknown {
  return request?.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    ? Object.fromEntries(new URLSearchParams(request.body))
    : request?.json()
}

for (const one of CASES) {
  t.test(`${one.name} sends the documented format, and satisfies the notifier contract`, async (t) => {
    await using server: TestServer = await startServer(() => ({ json: {} }))
    const { host, notifier, signal } = await open(one)
    t.teardown(() => host.close())
    await notifier.save({ id: `${one.name}-1`, name: 'Mine', enabled: true, settings: one.settings(server.url) })
    await notifier.send(`${one.name}-1`, MESSAGE, signal)
    t.match(server.requests, [one.expect])
    t.match(bodyOf(server.requests[0]), one.body)
    await using fresh = await createTestHost({ plugin: one.plugin, manifest: manifestOf(one.name) })
    t.same(
      (await checkNotifier(fresh, { settings: one.settings })).filter(({ ok }) => !ok),
      [],
    )
  })
}

t.test('a secret is never sent to another address, and is required again when the address changes', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  await using other = await startServer(() => ({ json: {} }))
  const { host, notifier, signal } = await open({ name: 'ntfy', plugin: ntfy })
  t.teardown(() => host.close())
  const target = { id: 'ntfy-1', name: 'Mine', enabled: true }
  await notifier.save({
    ...target,
    settings: { server: server.url, topic: 'my-secret-topic', access_token: 'tk_secret' },
  })
  const [shown] = await notifier.targets()
  t.notMatch(JSON.stringify(shown), /secret/)
  await t.rejects(notifier.save({ ...target, settings: { ...shown?.settings, server: other.url } }), {
    code: 'PLH_CONFIG_INVALID',
    message: /The address changed/,
  })
  await notifier.send('ntfy-1', MESSAGE, signal)
  t.equal(server.requests.length, 1)
  t.equal(other.requests.length, 0)
  await t.rejects(
    notifier.save({ ...target, settings: { server: server.url, topic: 'my-secret-topic', nonsense: 1 } }),
    { code: 'PLH_CONFIG_INVALID' },
  )
  await t.rejects(notifier.save({ ...target, id: 'ntfy-2', settings: { server: server.url, topic: '••••' } }), {
    code: 'PLH_CONFIG_INVALID',
  })
  t.equal(await notifier.remove('ntfy-1'), true)
  t.equal(await notifier.remove('ntfy-1'), false)
  await t.rejects(notifier.send('ntfy-1', MESSAGE, signal), { code: 'PLH_NOT_FOUND' })
})

t.test('markup in titles mentions no one', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  const { host, notifier, signal } = await open({ name: 'slack', plugin: slack })
  t.teardown(() => host.close())
  await notifier.save({ id: 'slack-1', name: 'Mine', enabled: true, settings: { webhook_url: `${server.url}/x` } })
  await notifier.send('slack-1', { ...MESSAGE, title: '<!channel> & co', text: '<@U1>' }, signal)
  t.match(server.requests[0]?.json(), { text: '&lt;!channel&gt; &amp; co', attachments: [{ text: '&lt;@U1&gt;' }] })
})

t.test('an unusable template is refused when it is saved, and sends nothing', async (t) => {
  await using server = await startServer(() => ({ json: {} }))
  const { host, notifier, signal } = await open({ name: 'webhook', plugin: webhook })
  t.teardown(() => host.close())
  const save = (settings: object) =>
    notifier.save({ id: 'webhook-1', name: 'Mine', enabled: true, settings: { url: `${server.url}/x`, ...settings } })
  await t.rejects(save({ template: '{"a": "{{nothing}}"}' }), { message: /\{\{nothing\}\}, which is not known/ })
  await t.rejects(save({ template: '{"a": "{{text}}"}' }), { message: /no JSON/ }, 'a quote in a text would break it')
  await t.rejects(save({ header: 'X: a\r\nY: b' }), { code: 'PLH_CONFIG_INVALID' })
  await save({ template: 'plain {{title}} {{json text}} {{ url }}', content_type: 'text/plain' })
  await notifier.send('webhook-1', { ...MESSAGE, title: '{{text}} $& $1' }, signal)
  t.equal(
    server.requests[0]?.body,
    'plain {{text}} $& $1 "Two *things* went\\nwrong." https://playhead.example.org/runs/1',
    'values are never read as a template',
  )
})
