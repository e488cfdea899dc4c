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
    description: 'IP addresses or networks of reverse proxies. Their forwarded headers are trusted.',
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
    title: 'Allowed host names',
    description: 'The host names that Playhead can be reached by. Leave empty to allow any name.',
  }),
  strict_origin: Type.Boolean({
    default: false,
    advanced: true,
    title: 'Require an Origin header',
    description: 'Rejects requests that change something and have no Origin header, including those of scripts.',
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
  credentials_id: Type.String({ default: '', description: 'Changes with the account. Sessions are tied to it.' }),
  setup: Type.Optional(
    Type.Object({ hash: secret() }, { description: 'The token that the last offline reset printed.' }),
  ),
  applied_reset: Type.String({ default: '', description: 'The last reset by an environment variable.' }),
  last_login_at: time(),
  created_at: time(),
  disabled_at: time(),
  [linkKey(SIGN_IN_METHOD)]: LinkedAccount,
})

const Tls = Type.Object(
  {
    self_signed: {
      ...flag(true),
      title: 'Create a self-signed certificate',
      description: 'Turn this off to use only the certificate files below.',
    },
    hostname: Type.String({
      default: 'localhost',
      maxLength: 253,
      title: 'Host name or IP address',
      description: 'As you type it in the browser.',
    }),
    valid_days: {
      ...count(825, 1, 3650),
      advanced: true,
      title: 'Certificate validity (days)',
      description: 'Applies to the next certificate that Playhead creates.',
    },
    alt_dns: Type.Array(Type.String(), {
      default: [],
      maxItems: 50,
      advanced: true,
      title: 'More host names',
      description: 'The certificate is also valid for these.',
    }),
    alt_ips: Type.Array(Type.String(), {
      default: [],
      maxItems: 50,
      advanced: true,
      title: 'More IP addresses',
      description: 'The certificate is also valid for these.',
    }),
    cert_file: {
      ...text(),
      title: 'Certificate file',
      description: 'The path of a PEM file. Leave empty to use a certificate that Playhead creates.',
    },
    key_file: {
      ...text(),
      title: 'Private key file',
      description: 'The path of a PEM file with the private key of the certificate.',
    },
  },
  { default: {}, title: 'HTTPS' },
)

const UiSection = Type.Object({
  theme: { ...oneOf(['flat-dark', 'flat-light', 'original'], 'flat-dark'), deprecated: true },
  protocol: {
    ...oneOf(['http', 'https'], 'http'),
    title: 'Protocol',
    description: 'HTTPS encrypts the connection. Takes effect after a restart.',
  },
  tls: Tls,
})

const RuntimeSection = Type.Object({
  debug: {
    ...flag(false),
    title: 'Debug mode',
    description: 'Allows API requests that are meant for debugging, such as imports in the editor.',
  },
  debug_http: { ...flag(false), deprecated: true },
  // Another name of `debug`.
  debug_mods: { ...flag(false), deprecated: true },
  state_dir: { ...text(), deprecated: true },
  update_check: { ...flag(true), deprecated: true },
  telemetry: Type.Object({ enabled: flag(false) }, { default: {}, deprecated: true }),
  min_free_mb: {
    ...count(0, 0, 10_000_000),
    advanced: true,
    title: 'Minimum free disk space (MB)',
    description:
      'Syncs, captures and backups wait while less is free. 0 means 2% of the disk, between 500 MB and 5 GB.',
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
