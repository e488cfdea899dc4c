// TLS of the listener: selects the certificate, and replaces it without a restart.
//
// The operator's certificate is only read. Without one, and with `self_signed`, a self-signed certificate is created
// and renewed. If the operator's is unusable, a temporary one is served, so that the settings stay reachable; the
// status reports the problem.
import { defined } from '@playhead/sdk/host'
import { isAbsolute, relative, resolve } from 'node:path'
import { PlayheadError, type Logger } from '@playhead/sdk'
import { createBoundedQueue } from '../../auth/bounded-queue.ts'
import type { Clock } from '../../clock.ts'
import type { ConfigDocument, ConfigService } from '../../config/contract.ts'
import { ConfigUnavailableError } from '../../config/contract.ts'
import {
  certificateInfo,
  certificatesOnly,
  createSelfSigned,
  type CertificateInfo,
  type KeyPair,
} from './certificate.ts'
import { defaultPaths, readPair, readText, writePair, type TlsPaths, type TlsProblem } from './tls-files.ts'
import { isCustom, readSettings, storeSettings, toRequest, type TlsSettings } from './tls-settings.ts'

interface ServerCertificate extends KeyPair {
  readonly minVersion: 'TLSv1.2'
}

interface CertificateChange {
  readonly hostname?: string | undefined
  readonly validDays?: number | undefined
  readonly dnsNames?: readonly string[] | undefined
  readonly addresses?: readonly string[] | undefined
}

export interface TlsStatus {
  readonly protocol: 'http' | 'https'
  readonly settings: ConfigDocument
  readonly paths: TlsPaths
  /** A generated certificate is served because the configured one is unusable. */
  readonly temporary: boolean
  readonly problem: TlsProblem | null
  /** The state of the configured file. */
  readonly stored:
    | { readonly kind: 'missing' }
    | { readonly kind: 'invalid' }
    | { readonly kind: 'not_allowed' }
    | { readonly kind: 'certificate'; readonly info: CertificateInfo; readonly keyMatches: boolean }
}

export interface Tls {
  /** The certificate for a new https server. Never fails because of the configured files. */
  open(): Promise<ServerCertificate>
  /** Updates a running server when the certificate changes. Returns the function that stops it. */
  attach(server: { setSecureContext(options: ServerCertificate): void }): () => void
  /** Reads the certificate again and applies it to the attached server. */
  reload(): Promise<void>
  status(): Promise<TlsStatus>
  /** Creates and stores a self-signed certificate with its settings; true if it is already served. */
  regenerate(change: CertificateChange): Promise<{ readonly serves: boolean }>
  /** The certificate's PEM without other contents of the file; undefined if there is none. */
  download(): Promise<{ readonly pem: string } | undefined>
  /** Whether clients cannot verify the served certificate. */
  isSelfSigned(): boolean
}

interface TlsDependencies {
  readonly config: Pick<ConfigService, 'at' | 'change' | 'onSaved'>
  /** Base of relative paths in the settings. */
  readonly dataDirectory: string
  readonly tlsDirectory: string
  readonly clock: Clock
  readonly log: Logger
}

const TEMPORARY_VALID_DAYS = 30

interface Serving {
  readonly pair: KeyPair
  readonly info: CertificateInfo | undefined
  readonly problem: TlsProblem | null
}

export function createTls({ config, dataDirectory, tlsDirectory, clock, log }: TlsDependencies): Tls {
  const oneByOne = createBoundedQueue({
    concurrency: 1,
    maxWaiting: 16,
    maxWaitMs: 30_000,
    busyText: 'The certificate is being changed; try again in a few seconds.',
  })
  const ownPaths = defaultPaths(tlsDirectory)
  const servers = new Set<{ setSecureContext(options: ServerCertificate): void }>()
  // Only these may be outside the data directory: later settings changes must not read arbitrary files.
  const pathsAtStart = readPathsAtStart()
  let serving: Serving | undefined

  return {
    open: () => oneByOne(async () => toServer((serving = await load()).pair)),
    attach(server) {
      servers.add(server)
      const release = config.onSaved(({ paths }) => {
        if (!paths.some((path) => path === 'ui' || path.startsWith('ui.tls'))) return
        reload().catch((error: unknown) =>
          log.error({ err: error }, 'the certificate could not be loaded; the previous one stays in use'),
        )
      })
      return () => {
        servers.delete(server)
        release()
      }
    },
    reload,
    status,
    regenerate: (change) =>
      oneByOne(async () => {
        const settings = readSettings(config)
        if (isCustom(settings)) {
          throw new PlayheadError(
            'PLH_CONFLICT',
            'ui.tls.cert_file or ui.tls.key_file is your own certificate. Clear both to use a self-signed one.',
            { wire: 'custom_certificate_configured' },
          )
        }
        const next = { ...settings, ...defined(change) }
        const pair = await createSelfSigned(toRequest(next), clock.now())
        await writePair(ownPaths, pair)
        await config.change('tls', (draft) => storeSettings(draft, next))
        if (servers.size > 0) use({ pair, info: certificateInfo(pair.cert), problem: null })
        return { serves: servers.size > 0 }
      }),
    async download() {
      const paths = pathsOf(readSettings(config))
      const text = mayRead(paths) ? await readText(paths.cert) : undefined
      return text === undefined ? undefined : { pem: certificatesOnly(text) }
    },
    isSelfSigned: () => serving?.info?.selfSigned ?? true,
  }

  function reload(): Promise<void> {
    return oneByOne(async () => use(await load()))
  }

  function use(next: Serving): void {
    serving = next
    for (const server of servers) server.setSecureContext(toServer(next.pair))
  }

  async function load(): Promise<Serving> {
    const settings = readSettings(config)
    const stored = await readPair(pathsOf(settings))
    const own = !isCustom(settings) && settings.selfSigned
    if (stored.problem === undefined && !(own && stored.info.notAfterMs <= clock.now()))
      return { ...stored, problem: null }
    if (own) return create(settings)
    return temporary(settings, stored.problem ?? 'certificate_unreadable')
  }

  async function create(settings: TlsSettings): Promise<Serving> {
    const pair = await createSelfSigned(toRequest(settings), clock.now())
    try {
      await writePair(ownPaths, pair)
    } catch (error) {
      log.error(
        { err: error, path: ownPaths.cert },
        'the new certificate could not be stored; it serves until the next start',
      )
      return { pair, info: certificateInfo(pair.cert), problem: 'not_writable' }
    }
    log.info({ path: ownPaths.cert }, 'a self-signed certificate was made')
    return { pair, info: certificateInfo(pair.cert), problem: null }
  }

  async function temporary(settings: TlsSettings, problem: TlsProblem): Promise<Serving> {
    log.error(
      { problem, path: pathsOf(settings).cert },
      'the configured certificate cannot be used; a temporary one serves instead',
    )
    const pair = await createSelfSigned({ ...toRequest(settings), validDays: TEMPORARY_VALID_DAYS }, clock.now())
    return { pair, info: certificateInfo(pair.cert), problem }
  }

  async function status(): Promise<TlsStatus> {
    const settings = readSettings(config)
    const paths = pathsOf(settings)
    return {
      protocol: config.at('ui.protocol') === 'https' ? 'https' : 'http',
      settings: settings.document,
      paths,
      temporary: serving !== undefined && serving.problem !== null,
      problem: serving?.problem ?? null,
      stored: mayRead(paths) ? await inspectPair(paths) : { kind: 'not_allowed' },
    }
  }

  function mayRead(paths: TlsPaths): boolean {
    const known = [pathsAtStart?.cert, pathsAtStart?.key]
    return [paths.cert, paths.key].every((path) => isBelow(dataDirectory, path) || known.includes(path))
  }

  function readPathsAtStart(): TlsPaths | undefined {
    try {
      return pathsOf(readSettings(config))
    } catch (error) {
      if (error instanceof ConfigUnavailableError) return undefined
      throw error
    }
  }

  function pathsOf(settings: TlsSettings): TlsPaths {
    return {
      cert: settings.certFile === '' ? ownPaths.cert : resolve(dataDirectory, settings.certFile),
      key: settings.keyFile === '' ? ownPaths.key : resolve(dataDirectory, settings.keyFile),
    }
  }
}

async function inspectPair(paths: TlsPaths): Promise<TlsStatus['stored']> {
  const pair = await readPair(paths)
  if (pair.problem === undefined) return { kind: 'certificate', info: pair.info, keyMatches: true }
  if (pair.problem === 'certificate_missing') return { kind: 'missing' }
  const info = certificateInfo((await readText(paths.cert)) ?? '')
  return info === undefined ? { kind: 'invalid' } : { kind: 'certificate', info, keyMatches: false }
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '' && way.split(/[\\/]/)[0] !== '..' && !isAbsolute(way)
}

function toServer({ cert, key }: KeyPair): ServerCertificate {
  return { cert, key, minVersion: 'TLSv1.2' }
}
