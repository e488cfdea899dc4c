// Registers a route and drops it again, on a thread that waits for its plugin. Fastify and Ajv take several times as long for
// their first route as for later ones, which is half of the time that the thread would need for a small plugin.
import { Type } from '@sinclair/typebox'
import { createInstance } from '../../http/instance.ts'
import { createCompilers } from '../../http/validation.ts'

export async function rehearseRoutes(): Promise<void> {
  const { validator, serializer } = createCompilers()
  const app = createInstance({ headersFor: () => ({}), redact: (text) => text }, { maxParamLength: 100 })
  app.setValidatorCompiler(validator)
  app.setSerializerCompiler(serializer)
  const shape = Type.Object({ text: Type.Optional(Type.String()) })
  app.post('/', { schema: { querystring: shape, body: shape, response: { 200: shape } } }, () => ({}))
  await app.ready()
  await app.close()
}
