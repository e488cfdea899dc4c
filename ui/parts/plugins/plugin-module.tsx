// Loads an ES module of a plugin, mounts it with the host API, and replaces it after a reload of the plugin. The old
// module stays until the new one is mounted. Errors of the module are shown here.
import { Skeleton, useComputedColorScheme } from '@mantine/core'
import { at } from '../../api/base.ts'
import type { UiHost, UiModule } from '../../../sdk/ui.ts'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { fetchSignedIn } from '../../api/client.ts'
import { openStream } from '../../api/stream.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { Failure } from '../page/failure.tsx'

const FIRST_WAIT_MS = 2_000
const LAST_WAIT_MS = 30_000

interface PluginModuleProps {
  readonly plugin: string
  /** The address from the plugin list; it changes with the source. */
  readonly url: string
  readonly generation: number | null
  readonly subject?: UiHost['subject']
  /** Title of the error message. */
  readonly failureTitle: string
}

type Scheme = UiHost['colorScheme']

export function PluginModule({ plugin, url, generation, subject = {}, failureTitle }: PluginModuleProps) {
  const [, navigate] = useLocation()
  const scheme = useComputedColorScheme('light')
  const place = useRef<HTMLDivElement>(null)
  const current = useRef<(() => void) | null>(null)
  const listeners = useRef<ReadonlySet<(scheme: Scheme) => void>>(new Set())
  const [error, setError] = useState<unknown>(null)
  const [isThere, setThere] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const subjectKey = JSON.stringify(subject)

  const start = useEffectEvent((module: Partial<UiModule<HTMLElement>>) => {
    if (typeof module.mount !== 'function') throw new Error(plugins.page.notAModule)
    const element = document.createElement('div')
    const streams = new Set<() => void>()
    const own = new Set<(scheme: Scheme) => void>()
    const host: UiHost = {
      request: (path, init) => fetchSignedIn(ownPath(path), (init as RequestInit) ?? {}),
      stream(path, handlers) {
        const end = openStream(ownPath(path), Object.keys(handlers), {
          onEvent: ({ event, text }) => handlers[event]?.(text),
        })
        streams.add(end)
        return end
      },
      navigate: (path) => navigate(ownPath(path)),
      colorScheme: scheme,
      locale: document.documentElement.lang || 'en',
      onColorScheme(listener) {
        own.add(listener)
        return () => own.delete(listener)
      },
      subject,
    }
    const endStreams = () => {
      for (const end of streams) end()
    }
    const unmount = mountOr(endStreams, () => module.mount?.(element, host))
    current.current?.()
    listeners.current = own
    place.current?.replaceChildren(element)
    current.current = () => {
      endStreams()
      own.clear()
      try {
        unmount?.()
      } catch (problem) {
        // biome-ignore lint/suspicious/noConsole: an error on unmount must not stop the next module, but the author should see it
        console.warn(problem)
      }
    }
  })

  useEffect(() => {
    for (const listener of listeners.current) listener(scheme)
  }, [scheme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new generation is a new module, even at the same address
  useEffect(() => {
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    // The browser caches a failed module by address.
    const address = attempt === 0 ? url : `${url}?attempt=${attempt}`
    void import(at(address))
      .then(
        (module: Partial<UiModule<HTMLElement>>) => {
          if (!isWanted) return
          start(module)
          setError(null)
          setThere(true)
        },
        (problem: unknown) => {
          // Only a failed download is retried: a module that throws would repeat its side effects.
          if (isWanted)
            timer = setTimeout(() => setAttempt((n) => n + 1), Math.min(FIRST_WAIT_MS * 2 ** attempt, LAST_WAIT_MS))
          throw problem
        },
      )
      .catch((problem: unknown) => {
        if (isWanted) setError(problem)
      })
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [url, generation, attempt, subjectKey])

  useEffect(
    () => () => {
      current.current?.()
      current.current = null
    },
    [],
  )
  useErrorsFrom(`/api/plugins/${plugin}/ui/`, setError)

  return (
    <div>
      {error === null ? null : <Failure title={failureTitle} error={error} onRetry={() => setAttempt((n) => n + 1)} />}
      {isThere || error !== null ? null : <Skeleton h={120} />}
      <div ref={place} data-plugin={plugin} />
    </div>
  )
}

/** Errors that a module throws later, from timers and listeners. */
function useErrorsFrom(folder: string, onFailure: (error: unknown) => void): void {
  useEffect(() => {
    const onError = ({ filename, error, message }: ErrorEvent) => {
      if (filename.includes(folder)) onFailure(error ?? message)
    }
    const onRejection = ({ reason }: PromiseRejectionEvent) => {
      if (reason instanceof Error && reason.stack?.includes(folder) === true) onFailure(reason)
    }
    window.addEventListener('error', onError)
    window.addEventListener('unhandledrejection', onRejection)
    return () => {
      window.removeEventListener('error', onError)
      window.removeEventListener('unhandledrejection', onRejection)
    }
  }, [folder, onFailure])
}

function mountOr(undo: () => void, mount: () => (() => void) | undefined): (() => void) | undefined {
  try {
    return mount()
  } catch (error) {
    undo()
    throw error
  }
}

function ownPath(path: string): string {
  if (/^\/(?![/\\])/.test(path)) return path
  throw new TypeError(`${path} is not an address of this service`)
}
