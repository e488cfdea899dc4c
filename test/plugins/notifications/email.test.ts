// slow: the whole service, or very many cases
// The e-mail notifier against an SMTP server, with and without failures.
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type NotificationMessage, NOTIFIERS } from '@playhead/sdk'
import { createTestHost, TEST_TLS } from '@playhead/sdk/testing'
import t from 'tap'
import plugin from '../../../plugins/notifiers/email/index.ts'

const manifest = new URL('../../../plugins/notifiers/email/plugin.json', import.meta.url)
const MESSAGE: NotificationMessage = {
  id: 'd1',
  event: 'run_failed',
  title: 'Über\r\nBcc: other@example.org',
  text: 'One\n.\nTwo',
  severity: 'error',
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
}

type Replies = Readonly<Record<string, string | null>>

/** Answers a command with the reply for its first word; null: never. */
async function startSmtp(replies: Replies = {}, tls = false) {
  const commands: string[] = []
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let mail: string | null = null
    let rest = ''
    const say = (word: string, usual: string) => {
      const reply = word in replies ? replies[word] : usual
      if (reply !== null) socket.write(`${reply}\r\n`)
    }
    say('CONNECT', '220 mail.example.org ESMTP')
    socket.on('data', (data) => {
      rest += data.toString('utf8')
      for (;;) {
        const end = rest.indexOf('\r\n')
        if (end < 0) return
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (mail !== null) {
          if (line !== '.') {
            mail += `${line.startsWith('..') ? line.slice(1) : line}\n`
            continue
          }
          mails.push(mail)
          mail = null
          say('END', '250 2.0.0 queued')
          continue
        }
        commands.push(line)
        const word = line.split(' ')[0]?.toUpperCase() ?? ''
        if (word === 'EHLO') say(word, '250-mail.example.org\r\n250 AUTH PLAIN')
        else if (word === 'AUTH') say(word, '235 2.7.0 accepted')
        else if (word === 'DATA') {
          mail = ''
          say(word, '354 go on')
        } else say(word, '250 ok')
      }
    })
  }
  const server = tls ? createTlsServer(TEST_TLS, serve) : createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    commands,
    mails,
    address: `localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function open(server: string, more: object = {}) {
  const host = await createTestHost({ plugin, manifest })
  const notifier = host.capability(NOTIFIERS.of('email'))
  await notifier.save({
    id: 'email-1',
    name: 'Mine',
    enabled: true,
    settings: {
      server,
      security: 'none',
      from: 'playhead@example.org',
      to: ['ann@example.org', 'ben@example.org'],
      ...more,
    },
  })
  return {
    host,
    send: (signal = AbortSignal.timeout(10_000)) => notifier.send('email-1', MESSAGE, signal),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

t.test('a message is one mail to all, and its text adds no header', async (t) => {
  await using smtp = await startSmtp()
  await using at = await open(smtp.address)
  await at.send()
  t.match(
    smtp.commands.join('\n'),
    /MAIL FROM:<playhead@example\.org>[\s\S]*RCPT TO:<ann@example\.org>\nRCPT TO:<ben@example\.org>\nDATA/,
  )
  const [mail = ''] = smtp.mails
  t.equal(smtp.mails.length, 1)
  const [head = ''] = mail.split('\n\n')
  t.notMatch(head, /^Bcc:/m)
  t.match(head, /^Message-ID: <d1@playhead\.invalid>$/m)
  t.match(head, /^Importance: high$/im)
  t.match(mail, /One\n\.\nTwo/)
  t.same(at.host.failures, [])
})

t.test('a server that is busy, refuses, or hangs fails the message, and the error contains no password', async (t) => {
  for (const [replies, expected] of [
    [{ CONNECT: '421 too busy' }, { code: 'PLH_UPSTREAM' }],
    [{ MAIL: '451 later' }, { code: 'PLH_UPSTREAM', wire: 'smtp_451' }],
    [{ RCPT: '550 no such user' }, { code: 'PLH_INVALID', wire: 'smtp_550' }],
    [{ END: '554 spam' }, { code: 'PLH_INVALID', wire: 'smtp_554' }],
  ] as const) {
    await using smtp = await startSmtp(replies)
    await using at = await open(smtp.address)
    await t.rejects(at.send(), expected, JSON.stringify(replies))
  }
  await using hanging = await startSmtp({ END: null })
  await using at = await open(hanging.address)
  await t.rejects(at.send(AbortSignal.timeout(300)))
  await using closed = await open('localhost:1')
  await t.rejects(closed.send(), { code: 'PLH_UPSTREAM', message: /ECONNREFUSED/ })
})

t.test('a password is never sent without encryption, nor to an untrusted certificate', async (t) => {
  await using plain = await startSmtp()
  await t.rejects(open(plain.address, { username: 'ann', password: 'my-secret-password' }), {
    message: /never sent without encryption/,
  })
  await using starttls = await open(plain.address, {
    username: 'ann',
    password: 'my-secret-password',
    security: 'starttls',
  })
  await t.rejects(starttls.send(), /.*/)
  await using tls = await startSmtp({}, true)
  await using at = await open(tls.address, { username: 'ann', password: 'my-secret-password', security: 'tls' })
  await t.rejects(at.send(), { code: 'PLH_UPSTREAM' })
  t.notMatch([...plain.commands, ...tls.commands].join('\n'), /AUTH/)
  t.notMatch(JSON.stringify([...at.host.logs, ...starttls.host.logs]), /my-secret-password/)
})
