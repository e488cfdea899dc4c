// The core's own sections. All others belong to plugins, including fields of `ui` about plugins.
import { Type, type TObject } from '@sinclair/typebox'
import { oneOf } from '@playhead/sdk'
import { SIGN_IN_METHOD } from '../wire-names.ts'
import type { ConfigContribution } from './contract.ts'

const text = (fallback = '') => Type.String({ default: fallback })
const flag = (fallback: boolean) => Type.Boolean({ default: fallback })
const count = (fallback: number, minimum: number, maximum: number) =>
  Type.Integer({ default: fallback, minimum, maximum })
/** Epoch seconds; 0 means never. */
const time = () => Type.Integer({ default: 0, minimum: 0 })
const secret = () => Type.String({ default: '', secret: true })

const SecuritySection = Type.Object({
  trusted_proxies: Type.Union([Type.Array(Type.String(), { maxItems: 200 }), Type.String()], {
    default: [],
    title: 'Trusted proxies',
    description: 'Addresses or networks of proxies whose forwarded headers are believed.',
  }),
  webhook_ids: Type.Record(Type.String(), Type.String({ secret: true }), {
    default: {},
    readOnly: true,
    description: 'Tokens of webhook addresses, by name.',
  }),
  legacy_webhooks_removed: { ...flag(false), readOnly: true },
  allowed_hosts: Type.Array(Type.String(), {
    default: [],
    maxItems: 200,
    title: 'Names of this service',
    description: 'Host names this service may be reached by; empty allows all.',
  }),
  strict_origin: Type.Boolean({
    default: false,
    advanced: true,
    title: 'Only changes from its own pages',
    description: 'Refuse changing requests that tell no origin, also from programs that are no browsers.',
  }),
})

/** Key in `app_auth` of the linked account of external sign-in. */
export function linkKey(method: string): string {
  return `${method}_sso`
}

export function linkedIdKey(method: string): string {
  return `linked_${method}_account_id`
}

// The other fields depend on the scheme.
const Password = Type.Object(
  { scheme: text(), salt: secret(), hash: secret() },
  { default: {}, additionalProperties: true },
)

const LinkedAccount = Type.Object(
  {
    enabled: flag(false),
    client_id: text(),
    [linkedIdKey(SIGN_IN_METHOD)]: text(),
    linked_username: text(),
    linked_email: text(),
    linked_thumb: text(),
    linked_at: time(),
  },
  { default: {} },
)

export const AppAuthSection = Type.Object({
  enabled: flag(false),
  username: text(),
  reset_required: flag(false),
  remember_session_enabled: flag(false),
  remember_session_days: count(30, 1, 365),
  password: Password,
  credentials_id: Type.String({ default: '', description: 'Changes with the account; sessions are bound to it.' }),
  setup: Type.Optional(Type.Object({ hash: secret() }, { description: 'The token that an offline reset printed.' })),
  applied_reset: Type.String({ default: '', description: 'The reset by environment variable that was done last.' }),
  last_login_at: time(),
  created_at: time(),
  disabled_at: time(),
  [linkKey(SIGN_IN_METHOD)]: LinkedAccount,
})

const Tls = Type.Object(
  {
    self_signed: {
      ...flag(true),
      title: 'Make the certificate here',
      description: 'Off: only the files below are used.',
    },
    hostname: Type.String({ default: 'localhost', maxLength: 253, title: 'Name or address of this service' }),
    valid_days: { ...count(825, 1, 3650), advanced: true, title: 'Days a certificate is valid' },
    alt_dns: Type.Array(Type.String(), { default: [], maxItems: 50, advanced: true, title: 'Further names' }),
    alt_ips: Type.Array(Type.String(), { default: [], maxItems: 50, advanced: true, title: 'Further addresses' }),
    cert_file: {
      ...text(),
      title: 'Certificate of your own',
      description: 'Path of a PEM file; empty for one that is made here.',
    },
    key_file: { ...text(), title: 'Its private key', description: 'Path of a PEM file.' },
  },
  { default: {}, title: 'HTTPS' },
)

const UiSection = Type.Object({
  theme: oneOf(['flat-dark', 'flat-light', 'original'], 'flat-dark'),
  protocol: oneOf(['http', 'https'], 'http'),
  tls: Tls,
})

const RuntimeSection = Type.Object({
  debug: { ...flag(false), title: 'Log details' },
  debug_http: { ...flag(false), advanced: true, title: 'Log requests to services' },
  debug_mods: { ...flag(false), advanced: true, title: 'Log details of plugins' },
  state_dir: { ...text(), deprecated: true },
  update_check: Type.Boolean({
    default: true,
    title: 'Look for newer versions',
    description: "Ask the project's release page for newer versions.",
  }),
  telemetry: Type.Object({ enabled: flag(false) }, { default: {}, deprecated: true }),
  min_free_mb: {
    ...count(0, 0, 10_000_000),
    advanced: true,
    title: 'Room to keep on the disk, in MB',
    description: 'With less, syncs, captures and backups wait. 0: 2 % of the disk, at least 500 MB and at most 5 GB.',
  },
})

// A test checks the defaults.
const section = (path: string, schema: TObject): ConfigContribution['sections'][number] => ({
  path,
  schema,
  hasCheckedDefaults: true,
})

export const CORE_CONTRIBUTION: ConfigContribution = {
  owner: 'core',
  sections: [
    section('security', SecuritySection),
    section('app_auth', AppAuthSection),
    section('ui', UiSection),
    section('runtime', RuntimeSection),
  ],
}

/** Top-level keys without a section. */
export const CORE_KEYS: readonly string[] = ['version']

/**
 * Keys of `app_auth` whose invalid value must not be replaced by a default: that could open the service. Such a
 * document is unreadable.
 */
export const NEVER_DEFAULTED: readonly string[] = ['enabled', 'username', 'reset_required', 'password']
