// How long somebody still has to wait, second by second.
import { useEffect, useState } from 'react'

/** Seconds that are left, and what starts them. */
export function useCountdown(): [secondsLeft: number, start: (seconds: number) => void] {
  const [endsAtMs, setEnd] = useState(0)
  const [nowMs, setNow] = useState(0)
  const secondsLeft = Math.max(0, Math.ceil((endsAtMs - nowMs) / 1000))
  useEffect(() => {
    if (endsAtMs === 0) return undefined
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= endsAtMs) setEnd(0)
    }, 500)
    return () => clearInterval(timer)
  }, [endsAtMs])
  return [
    secondsLeft,
    (seconds) => {
      setNow(Date.now())
      setEnd(Date.now() + seconds * 1000)
    },
  ]
}
