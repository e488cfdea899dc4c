// A separate process that answers questions by name, so that its time and memory are measured separately.
import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child extends AsyncDisposable {
  readonly pid: number
  ask(name: string, argument?: unknown): Promise<any>
  stop(): Promise<void>
}

type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string }

/** @param flags flags of Node */
export async function startChild(file: URL, flags: readonly string[] = []): Promise<Child> {
  const child = fork(file, [], { stdio: 'inherit', execArgv: [...flags] })
  await once(child, 'message')
  let last = 0
  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    pid: child.pid as number,
    async ask(name, argument = null) {
      const id = ++last
      const { promise, resolve, reject } = Promise.withResolvers<any>()
      const listen = (answer: Answer) => {
        if (answer.id !== id) return
        child.off('message', listen as never)
        if (answer.error === undefined) resolve(answer.value)
        else reject(new Error(answer.error))
      }
      child.on('message', listen as never)
      child.send({ id, name, argument })
      return promise
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Runs in the child process: answers by question. Answers must be plain data. */
export function answerQuestions(answers: Readonly<Record<string, (argument: any) => unknown>>): void {
  process.on('message', async ({ id, name, argument }: { id: number; name: string; argument: unknown }) => {
    try {
      process.send?.({ id, value: (await answers[name]!(argument)) ?? null })
    } catch (error) {
      process.send?.({ id, error: String((error as Error).stack) })
    }
  })
  process.send?.({ id: 0, value: 'ready' })
}
