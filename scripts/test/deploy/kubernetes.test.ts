import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Secret, Service } from 'kubernetes-models/v1'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../../config.ts'

const FOLDER = join(import.meta.dirname, '../../../deploy/kubernetes')

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  stringData?: Record<string, string>
}

const KINDS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Secret,
  Service
]

const readFile = (file: string) => readFileSync(join(FOLDER, file), 'utf8')
const kustomization = parse(readFile('kustomization.yaml'))
const manifests = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
  .flatMap((file) => parseAllDocuments(readFile(file)).map((document) => document.toJS() as Manifest))

/** Finds a manifest by kind and name, and types it as the API's object. */
const find = <T>(Kind: new (data: never) => T, name: string): T =>
  new Kind(manifests.find((manifest) => manifest.kind === Kind.name && manifest.metadata.name === name) as never)

const application = find(Deployment, 'application').spec!

/**
 * Validates an object with the schema of Kubernetes' API.
 * @returns fields that are not in the schema; the validation reads all fields of the schema, and only those
 * @throws Error that names a field with a wrong value
 */
function check(manifest: Manifest): string[] {
  const Kind = KINDS.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind)
  if (!Kind) throw new Error(`no ${manifest.kind} in ${manifest.apiVersion}`)
  const unknown = new Set<string>()
  Kind.prototype.validate.call(record(manifest, '', unknown))
  return [...unknown]
}

/** Returns a copy of a value with getters. A getter removes the path of its field from `unread`. */
function record(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element, i) => record(element, `${path}/${i}`, unread))
  const recorded = {}
  for (const [name, field] of Object.entries(value)) {
    const fieldPath = `${path}/${name}`
    const recordedField = record(field, fieldPath, unread)
    unread.add(fieldPath)
    Object.defineProperty(recorded, name, {
      enumerable: true,
      get() {
        unread.delete(fieldPath)
        return recordedField
      }
    })
  }
  return recorded
}

t.test('each object is valid in the API of Kubernetes', async (t) => {
  for (const manifest of manifests) t.same(check(manifest), [], `${manifest.kind} ${manifest.metadata.name}`)
})

t.test('the validation detects a misspelt field, a wrong value and an unknown API version', async (t) => {
  const deployment = manifests.find(({ kind }) => kind === 'Deployment')!
  t.same(check({ ...deployment, spec: { ...application, selektor: {} } } as Manifest), ['/spec/selektor'])
  t.throws(() => check({ ...deployment, spec: { ...application, replicas: 'two' } } as Manifest), /replicas/)
  t.throws(() => check({ ...deployment, apiVersion: 'apps/v9' }), /no Deployment in apps\/v9/)
})

t.test('the kustomization lists every file', async (t) => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
  // A user copies the example of the secret; the copy is not under version control.
  const expected = files.map((file) => file.replace('.example', ''))
  t.same([...kustomization.resources].sort(), expected.sort())
  t.match(readFileSync(join(FOLDER, '../../.gitignore'), 'utf8'), /^deploy\/kubernetes\/secret\.yaml$/m)
  t.equal(kustomization.namespace, find(Namespace, 'hull').metadata!.name)
  const images = kustomization.images.map(({ name }: { name: string }) => name)
  t.ok(images.includes(application.template.spec!.containers[0]!.image))
})

t.test('the component adds a metric of Hull to the autoscaler', async (t) => {
  const [{ target, patch }] = parse(readFile('requests-in-flight/kustomization.yaml')).patches
  const autoscaler = structuredClone(manifests.find(({ kind }) => kind === target.kind)!) as unknown as {
    spec: { metrics: unknown[] }
  }
  const [{ op, path, value }] = parse(patch)
  t.same([op, path], ['add', '/spec/metrics/-'])
  autoscaler.spec.metrics.push(value)
  t.same(check(autoscaler as unknown as Manifest), [])
})

t.test('the pods of the application', async (t) => {
  const { selector, template } = application
  const pod = template.spec!
  const [container] = pod.containers
  const env = readEnv(container!)
  const { warnings, shutdownTimeout, shutdownDelay, databaseUrl } = readConfig(env)

  t.test('have valid settings', async (t) => {
    t.same(warnings, [])
    t.ok(env.SESSION_SECRET)
    t.equal(databaseUrl, SECRETS.DATABASE_URL)
  })

  t.test('have enough time to shut down', async (t) => {
    const seconds = pod.terminationGracePeriodSeconds!
    t.ok(seconds * 1_000 > shutdownDelay + shutdownTimeout, `${seconds} s`)
    // The service sends requests to the pod until the readiness probe has failed `failureThreshold` times.
    const { periodSeconds, failureThreshold } = container!.readinessProbe!
    t.ok(shutdownDelay >= periodSeconds! * failureThreshold! * 1_000)
  })

  t.test('have the labels and ports that the service, the policy and the probes refer to', async (t) => {
    const labels = template.metadata!.labels!
    const policy = find(NetworkPolicy, 'application').spec!
    const service = find(Service, 'application').spec!
    t.match(labels, selector.matchLabels)
    t.match(labels, service.selector)
    t.match(labels, policy.podSelector!.matchLabels)
    for (const { labelSelector } of pod.topologySpreadConstraints ?? []) t.match(labels, labelSelector!.matchLabels)
    const ports = container!.ports!.map(({ name }) => name)
    const { startupProbe, livenessProbe, readinessProbe } = container!
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      t.ok(ports.includes(String(probe!.httpGet!.port)))
    t.ok(ports.includes(String(service.ports![0]!.targetPort)))
    for (const { ports: open } of policy.ingress!) t.ok(ports.includes(String(open![0]!.port)))
  })

  t.test('run as the user of the image, and write only to volumes', async (t) => {
    const users = [...readFileSync(join(FOLDER, '../../Dockerfile'), 'utf8').matchAll(/^USER (.*)$/gm)]
    const user = Number(users.at(-1)?.[1])
    t.ok(user > 0 && users.every(([, one]) => one === String(user)), 'a name is refused with runAsNonRoot alone')
    t.match(pod.securityContext, { runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user })
    t.match(container!.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] }
    })
    t.same(container!.volumeMounts!.map(({ name }) => name).sort(), pod.volumes!.map(({ name }) => name).sort())
    t.ok(
      container!.volumeMounts!.some(({ mountPath }) => mountPath === '/data'),
      'a volume is mounted at the DATA_DIR of the image'
    )
  })
})

t.test('the disruption budget and the autoscaler refer to the application', async (t) => {
  t.match(application.template.metadata!.labels, find(PodDisruptionBudget, 'application').spec!.selector!.matchLabels)
  const { scaleTargetRef, minReplicas } = find(HorizontalPodAutoscaler, 'application').spec!
  t.equal(scaleTargetRef.name, 'application')
  t.ok(minReplicas! >= 2)
})

/** Values that a user writes into secret.yaml. */
const SECRETS: Record<string, string> = {
  SESSION_SECRET: 'b'.repeat(44),
  DATABASE_URL: 'postgresql://hull:secret@postgres.example/hull',
  INBOX_PASSWORD: 'correct horse'
}

/** Environment variables of a container, including those of its image. */
function readEnv({ envFrom = [] }: Container): Record<string, string> {
  const dataOf = (kind: string, name: string) => {
    const { data, stringData } = manifests.find(
      (manifest) => manifest.kind === kind && manifest.metadata.name === name
    )!
    return data ?? Object.fromEntries(Object.keys(stringData!).map((key) => [key, SECRETS[key]!]))
  }
  const sources = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef ? dataOf('ConfigMap', configMapRef.name!) : dataOf('Secret', secretRef!.name!)
  )
  return Object.assign({ HOST: '0.0.0.0', PORT: '3000', DATA_DIR: '/data' }, ...sources)
}

type Container = NonNullable<typeof application.template.spec>['containers'][number]
