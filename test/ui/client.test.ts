// The generated client matches the OpenAPI description.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { generateClient, SCHEMA_FILE } from '../../ui/generate-client.ts'
import { startService } from '../harness.ts'

t.test('the generated client matches the OpenAPI description; if not, run "npm run generate:client"', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { body } = await service.json('/openapi.json')

  t.equal(generateClient(body), await readFile(SCHEMA_FILE, 'utf8'))
})
