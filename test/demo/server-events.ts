// Reads a stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
export interface ServerEvent {
  readonly event: string
  readonly data: string
  readonly id: string
}

export async function* readServerEvents(answer: Response): AsyncGenerator<ServerEvent> {
  let text = ''
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const fields = { event: 'message', data: [] as string[], id: '' }
      for (const line of text.slice(0, end).split('\n')) {
        const [name, value = ''] = line.split(/: ?(.*)/s)
        if (name === 'data') fields.data.push(value)
        else if (name === 'event' || name === 'id') fields[name] = value
      }
      text = text.slice(end + 2)
      if (fields.data.length > 0) yield { event: fields.event, data: fields.data.join('\n'), id: fields.id }
    }
  }
}
