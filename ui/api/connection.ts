// Tracks whether the service is reachable, reported by requests and streams.
import { useSyncExternalStore } from 'react'
import { at } from './base.ts'

type ConnectionState = 'live' | 'reconnecting' | 'lost'

const POLL_MS = 3_000
const listeners = new Set<() => void>()
let state: ConnectionState = 'live'
let timer: ReturnType<typeof setTimeout> | undefined

export function reportReachable(): void {
  clearTimeout(timer)
  timer = undefined
  change('live')
}

export function reportUnreachable(): void {
  change(state === 'live' ? 'reconnecting' : 'lost')
  timer ??= setTimeout(check, POLL_MS)
}

export function useConnection(): ConnectionState {
  return useSyncExternalStore(subscribe, () => state)
}

/** Called when the service is reachable again. */
export function onReachableAgain(listener: () => void): () => void {
  let last = state
  return subscribe(() => {
    if (last !== 'live' && state === 'live') listener()
    last = state
  })
}

async function check(): Promise<void> {
  timer = undefined
  try {
    await fetch(at('/healthz'))
    reportReachable()
  } catch {
    reportUnreachable()
  }
}

function change(next: ConnectionState): void {
  if (next === state) return
  state = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
