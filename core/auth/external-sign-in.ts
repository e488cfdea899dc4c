// External sign-in: a plugin proves a person's account at a third party, and the core issues the session. Only the id of
// the linked account counts; attempts share the limiter with passwords, and sessions end with the credentials.
import { defined, PlayheadError, sameText, type ExternalSignIn, type SignInLink } from '@playhead/sdk'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { ConfigService } from '../config/contract.ts'
import type { GateAuth } from '../http/access/gate.ts'
import { isLocalCaller } from '../http/access/client-address.ts'
import { cappedName, type Audit } from './audit.ts'
import type { AuthClient } from './client.ts'
import { clearedSessionCookie, sessionCookie, sessionOfCookies } from './cookie.ts'
import { recordRefusal, refusal } from './login.ts'
import type { LoginLimiter } from './login-limiter.ts'
import { sessionEndsAtMs, type Sessions } from './sessions.ts'
import type { Session } from './session-table.ts'
import { checkedPerson, ensureClientId, readLink, writeLink } from './sso-link.ts'
import type { Account } from './stored-account.ts'
import { SIGN_IN_METHOD } from '../wire-names.ts'

interface ExternalSignInDependencies {
  readonly account: () => Account
  readonly config: Pick<ConfigService, 'current' | 'change'>
  readonly sessions: Sessions
  readonly limiter: LoginLimiter
  readonly audit: Audit
  readonly clock: Clock
  readonly publicUrl: string | null
  readonly basePath?: string
  readonly sessionOf: GateAuth['session']
}

export function createExternalSignIn(deps: ExternalSignInDependencies): ExternalSignIn {
  const { account, config, sessions, limiter, audit, clock } = deps
  const method = SIGN_IN_METHOD

  const link = (): SignInLink => {
    const { clientId: _, ...stored } = readLink(config.current(), method)
    const { state } = account()
    const linked = stored.accountId !== ''
    return { ...stored, linked, available: linked && stored.enabled && state === 'enabled', authentication: state }
  }

  return {
    link,

    async clientId() {
      const known = readLink(config.current(), method).clientId
      if (known !== '') return known
      await config.change('auth', (draft) => ensureClientId(draft, method))
      return readLink(config.current(), method).clientId
    },

    addressOf: (request, path) => `${deps.publicUrl ?? originOf(request) + (deps.basePath ?? '')}${path}`,

    async signIn(request, reply, person, { remember }) {
      const { accountId, username: name } = checkedPerson(person)
      assertEnabled()
      if (!link().available) throw new PlayheadError('PLH_INVALID', 'No account is linked yet.', { wire: 'not_linked' })
      const client = toClient(request)
      const isLinked = () => link().available && sameText(accountId, link().accountId)

      // Attempts have a counter of their own, so that a foreign account cannot lock out the owner's password.
      const verdict = await limiter.attempt(
        { address: client.address, username: `${method} ${accountId}` },
        async () => {
          const { username, credentialsId } = account()
          if (!isLinked()) return undefined
          return await sessions.issue({
            username,
            credentialsId,
            method,
            persistent: remember,
            address: client.address,
            userAgent: client.userAgent,
            ...defined({ replaces: client.session?.id }),
            // The account or the link may have changed meanwhile.
            isStillValid: () => account().credentialsId === credentialsId && isLinked(),
          })
        },
      )
      if (verdict.kind !== 'accepted') {
        recordRefusal(audit, verdict, { username: name, client })
        throw refusal(verdict, { status: 403, wire: 'account_not_linked', helpUrl: '' })
      }

      const { token, session } = verdict.value
      const lasting = session.persistent ? { expiresAtMs: session.latestEndAtMs } : {}
      void reply.header('set-cookie', sessionCookie({ token, secure: request.caller.secure, ...lasting }, clock.now()))
      audit('login', { username: session.username, address: client.address, method, session: session.id })
      return { username: session.username, expiresAtMs: sessionEndsAtMs(session) }
    },

    async saveLink(request, person) {
      const { id, username } = liveSession(request)
      const checked = checkedPerson(person)
      const before = link().accountId
      await config.change('auth', (draft) => {
        // The session may have ended while the change was queued.
        liveSession(request)
        writeLink(draft, method, checked, clock.now())
      })
      if (before !== checked.accountId) await sessions.endMethod(method, id)
      audit('account_linked', {
        method,
        username,
        address: request.caller.address,
        session: id,
        linked: cappedName(checked.username),
      })
      return link()
    },

    async removeLink(request, reply) {
      const { id, username, method: openedBy } = liveSession(request)
      await config.change('auth', (draft) => {
        liveSession(request)
        writeLink(draft, method, null, clock.now())
      })
      // After the link is removed, so that no new session can start in between.
      await sessions.endMethod(method)
      if (openedBy === method) void reply.header('set-cookie', clearedSessionCookie(request.caller.secure))
      audit('account_unlinked', { method, username, address: request.caller.address, session: id })
      return link()
    },
  }

  function assertEnabled(): void {
    if (account().state === 'enabled') return
    throw new PlayheadError('PLH_INVALID', 'Authentication is off, so there is nothing to sign in to.', {
      wire: 'authentication_disabled',
    })
  }

  function liveSession(request: FastifyRequest): Session {
    assertEnabled()
    const session = sessionIn(request)
    if (session === undefined) throw new PlayheadError('PLH_AUTH_FAILED', 'Sign in first.', { wire: 'Unauthorized' })
    return session
  }

  // Reads the cookie itself instead of trusting `request.caller`.
  function sessionIn(request: FastifyRequest): Session | undefined {
    return sessionOfCookies(request.headers.cookie, (token) => deps.sessionOf(token))
  }

  function toClient(request: FastifyRequest): AuthClient {
    const { address } = request.caller
    return {
      address,
      local: isLocalCaller(address, request.headers),
      userAgent: request.headers['user-agent'] ?? '',
      session: sessionIn(request) ?? null,
    }
  }
}

// The host comes from the client, so it must be a plain host before it becomes part of an address.
function originOf({ caller: { host, secure } }: FastifyRequest): string {
  const url = URL.parse(`${secure ? 'https' : 'http'}://${host}`)
  if (url !== null && /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d+)?$/i.test(host)) return url.origin
  throw new PlayheadError('PLH_INVALID', 'The request has no host to return to.', { wire: 'invalid_host' })
}
