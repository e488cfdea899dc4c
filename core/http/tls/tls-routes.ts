// HTTP routes of the listener's certificate: state, regeneration, download.
import { isIP } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import { optionalBody, PlayheadError, Type, type Static } from '@playhead/sdk'
import type { Clock } from '../../clock.ts'
import type { RouteAccess } from '../access/access.ts'
import type { Tls, TlsStatus } from './tls.ts'
import { isDnsName } from './tls-settings.ts'
import { ValidationProblem, type ValidationDetail } from '../validation.ts'

const MAX_NAMES = 50
const DAY_MS = 86_400_000
const ACCESS: RouteAccess = { auth: 'S', scope: 'admin' }

const RegenerateBody = Type.Partial(
  Type.Object({
    hostname: Type.String({ minLength: 1, maxLength: 253, description: 'A DNS name or an address.' }),
    valid_days: Type.Integer({ minimum: 1, maximum: 3650 }),
    alt_dns: Type.Array(Type.String(), { maxItems: MAX_NAMES }),
    alt_ips: Type.Array(Type.String(), { maxItems: MAX_NAMES }),
  }),
)

const Certificate = Type.Object({
  path: Type.String(),
  exists: Type.Boolean(),
  error: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String()),
  issuer: Type.Optional(Type.String()),
  self_signed: Type.Optional(Type.Boolean()),
  not_before: Type.Optional(Type.String()),
  not_after: Type.Optional(Type.String()),
  expires_in_days: Type.Optional(Type.Integer()),
  sans: Type.Optional(Type.Array(Type.String())),
  sha256: Type.Optional(Type.String()),
  key_matches: Type.Optional(Type.Boolean()),
})

const StatusAnswer = Type.Object({
  protocol: Type.String(),
  tls: Type.Object(
    {
      hostname: Type.Optional(Type.String()),
      valid_days: Type.Optional(Type.Integer()),
      alt_dns: Type.Optional(Type.Array(Type.String())),
      alt_ips: Type.Optional(Type.Array(Type.String())),
      temporary: Type.Boolean({ description: 'One that lasts for days serves in the place of the configured one.' }),
      problem: Type.Union([Type.String(), Type.Null()]),
      self_signed: Type.Optional(Type.Boolean()),
      cert_file: Type.Optional(Type.String()),
      key_file: Type.Optional(Type.String()),
      resolved_cert_path: Type.Optional(Type.String()),
      resolved_key_path: Type.Optional(Type.String()),
      cert: Certificate,
    },
    { additionalProperties: true },
  ),
  restart_required: Type.Optional(Type.Boolean()),
})

export function tlsRoutes({ tls, clock }: { readonly tls: Tls; readonly clock: Clock }): FastifyPluginAsync {
  return async (app) => {
    app.get(
      '/api/ui/tls/status',
      {
        config: { access: ACCESS },
        schema: schema('The certificate of this address', { response: { 200: StatusAnswer } }),
      },
      async () => toAnswer(await tls.status(), clock.now()),
    )

    app.post(
      '/api/ui/tls/regenerate',
      {
        config: { access: ACCESS },
        schema: schema('Make a new self-signed certificate', {
          body: optionalBody(RegenerateBody),
          response: { 200: StatusAnswer },
        }),
      },
      async (request) => {
        const change = checked((request.body ?? {}) as Static<typeof RegenerateBody>)
        const { serves } = await tls.regenerate({
          hostname: change.hostname,
          validDays: change.valid_days,
          dnsNames: change.alt_dns,
          addresses: change.alt_ips,
        })
        const status = await tls.status()
        return { ...toAnswer(status, clock.now()), restart_required: status.protocol === 'https' && !serves }
      },
    )

    app.get(
      '/api/ui/tls/cert',
      { config: { access: ACCESS }, schema: schema('Download the certificate', CERTIFICATE) },
      async (_request, reply) => {
        const certificate = await tls.download()
        if (certificate === undefined)
          throw new PlayheadError('PLH_NOT_FOUND', 'Certificate not found', { wire: 'certificate_not_found' })
        if (certificate.pem === '')
          throw new PlayheadError('PLH_INVALID', 'Invalid certificate file', { wire: 'invalid_certificate' })
        return reply
          .type('application/x-x509-ca-cert')
          .header('content-disposition', 'attachment; filename="playhead.crt"')
          .send(certificate.pem)
      },
    )
  }
}

// Checks beyond the schema.
function checked(change: Static<typeof RegenerateBody>): Static<typeof RegenerateBody> {
  const problems: ValidationDetail[] = []
  const refuse = (msg: string, ...at: (string | number)[]): void =>
    void problems.push({ loc: ['body', ...at], msg, type: 'value_error' })

  const { hostname } = change
  if (hostname !== undefined && isIP(hostname) === 0 && !isDnsName(hostname))
    refuse('Input should be a DNS name or an address', 'hostname')
  change.alt_dns?.forEach((name, index) => isDnsName(name) || refuse('Input should be a DNS name', 'alt_dns', index))
  change.alt_ips?.forEach(
    (address, index) => isIP(address) !== 0 || refuse('Input should be an IP address', 'alt_ips', index),
  )
  const count = (change.alt_dns?.length ?? 0) + (change.alt_ips?.length ?? 0)
  if (count > MAX_NAMES) refuse(`A certificate takes at most ${MAX_NAMES} further names`, 'alt_dns')
  if (problems.length > 0) throw new ValidationProblem(problems)
  return change
}

function toAnswer(status: TlsStatus, nowMs: number): { protocol: string; tls: Record<string, unknown> } {
  return {
    protocol: status.protocol,
    tls: {
      ...status.settings,
      resolved_cert_path: status.paths.cert,
      resolved_key_path: status.paths.key,
      temporary: status.temporary,
      problem: status.problem,
      cert: toCertificate(status, nowMs),
    },
  }
}

function toCertificate({ stored, paths: { cert: path } }: TlsStatus, nowMs: number): Record<string, unknown> {
  if (stored.kind !== 'certificate') return { path, ...WITHOUT_CERTIFICATE[stored.kind] }
  const { info } = stored
  return {
    exists: true,
    path,
    subject: info.subject,
    issuer: info.issuer,
    self_signed: info.selfSigned,
    not_before: new Date(info.notBeforeMs).toISOString(),
    not_after: new Date(info.notAfterMs).toISOString(),
    expires_in_days: Math.floor((info.notAfterMs - nowMs) / DAY_MS),
    sans: info.names,
    sha256: info.sha256,
    key_matches: stored.keyMatches,
  }
}

const WITHOUT_CERTIFICATE = {
  missing: { exists: false },
  not_allowed: { exists: false, error: 'path_not_allowed' },
  invalid: { exists: true, error: 'invalid_certificate' },
} as const

const CERTIFICATE = {
  response: { 200: { description: 'PEM', content: { 'application/x-x509-ca-cert': { schema: Type.String() } } } },
  errors: {
    400: { invalid_certificate: 'The file holds no certificate.' },
    404: { certificate_not_found: 'There is no certificate.' },
  },
}

function schema(summary: string, parts: object): object {
  return { tags: ['Configuration'], summary, ...parts }
}
