// E-mail through an SMTP server. The host opens and checks the connection to the configured name; nodemailer implements the protocol.
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isPlayheadError, oneOf, PlayheadError, Type } from '@playhead/sdk'
import { defineNotifier } from '@playhead/sdk/notifier'
import { createTransport } from 'nodemailer'

const ADDRESS = '^[^\\s<>,;"]+@[^\\s<>,;"]+$'
const CONNECT_MS = 10_000
const ANSWER_MS = 20_000

export default defineNotifier({
  id: 'email',
  settings: Type.Object({
    server: Type.String({
      pattern: '^[A-Za-z0-9.-]{1,253}:[0-9]{1,5}$',
      description: 'For example smtp.example.org:465',
    }),
    security: oneOf(['tls', 'starttls', 'none'], 'tls'),
    username: Type.String({ default: '', maxLength: 200 }),
    password: Type.String({ default: '', secret: true, boundTo: 'server' }),
    from: Type.String({ pattern: ADDRESS }),
    to: Type.Array(Type.String({ pattern: ADDRESS }), { minItems: 1, maxItems: 20 }),
  }),
  check: ({ security, password }) =>
    security === 'none' && password !== ''
      ? 'A password is never sent without encryption. Choose tls or starttls.'
      : undefined,
  async send({ settings, message, signal }) {
    const { server, security, username, password, from, to } = settings
    if (security === 'none' && password !== '')
      throw new PlayheadError('PLH_INVALID', 'A password is never sent without encryption.')
    const [host = '', port = ''] = server.split(':')
    const socket = await open(host, Number(port), security === 'tls', signal)
    const stop = () => void socket.destroy(new Error('stopped'))
    signal.addEventListener('abort', stop, { once: true })
    const transport = createTransport({
      host,
      port: Number(port),
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      getSocket: (_options: unknown, done: (error: Error | null, found: object) => void) =>
        done(null, { connection: socket, ...(security === 'tls' ? { secured: true } : {}) }),
      ...(username === '' ? {} : { auth: { user: username, pass: password } }),
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
      // A text is never interpreted as a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0])
    try {
      await transport.sendMail({
        from: { name: 'Playhead', address: from },
        to: [...to],
        subject: message.title.replace(/[\r\n]+/g, ' '),
        text: `${message.text}${message.url === undefined ? '' : `\n\n${message.url}`}\n`,
        date: new Date(message.atMs),
        // The id is the same for each attempt, so that mail programs recognize a repeat.
        messageId: `<${message.id}@playhead.invalid>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          ...(message.severity === 'error' ? { Importance: 'high' } : {}),
        },
      })
    } catch (error) {
      throw failureOf(error)
    } finally {
      signal.removeEventListener('abort', stop)
      transport.close()
      socket.destroy()
    }
  },
})

function open(host: string, port: number, isTls: boolean, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = isTls ? connectTls({ host, port, servername: host }) : connectPlain({ host, port })
    const failed = (error: Error) => {
      socket.destroy()
      reject(failureOf(error))
    }
    const stop = () => failed(new Error('stopped'))
    signal.addEventListener('abort', stop, { once: true })
    socket.setTimeout(CONNECT_MS, stop)
    socket.once('error', failed)
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', stop)
      socket.setTimeout(0)
      socket.removeListener('error', failed)
      // Later failures are reported by the reader of the socket.
      socket.on('error', () => {})
      resolve(socket)
    })
  })
}

/** Excludes the server's text, which may quote the message. */
function failureOf(error: unknown): PlayheadError {
  if (isPlayheadError(error)) return error
  const { responseCode: status, code } = error as { readonly responseCode?: number; readonly code?: string }
  if (code === 'EAUTH' && (status === undefined || status >= 500))
    return new PlayheadError('PLH_AUTH_FAILED', 'The mail server rejected the sign-in.')
  if (status !== undefined && status >= 500)
    return new PlayheadError('PLH_INVALID', `The mail server refused the message (${status}).`, {
      wire: `smtp_${status}`,
    })
  if (status !== undefined)
    return new PlayheadError('PLH_UPSTREAM', `The mail server cannot take the message now (${status}).`, {
      wire: `smtp_${status}`,
      details: { status },
    })
  return new PlayheadError('PLH_UPSTREAM', `The mail server could not be reached (${code ?? 'no answer'}).`)
}
