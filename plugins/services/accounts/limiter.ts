// At most so many at a time; the others wait in order.
export type Limiter = <Result>(work: () => Promise<Result>) => Promise<Result>

export function createLimiter(max: number): Limiter {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    // Who is let in takes over the place of the one that left.
    if (running >= max) await new Promise<void>((enter) => waiting.push(enter))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
