import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bareNode } from '@hull/test-helpers/bare-node.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const scripts = join(import.meta.dirname, '../../scripts')

// A server that prints its process id, and 300 ms after a signal the number of signals received until then.
const SERVER = `
  import { createServer } from 'node:http'
  const server = createServer().listen(0, '127.0.0.1', () => console.log('pid', process.pid))
  let count = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      count++
      setTimeout(() => {
        console.log('ended by', count, signal)
        server.close(() => process.exit(7))
      }, 300)
    })
  }`

t.test('npm start', async (t) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    t.test(`passes ${signal} on once, and exits with the server's exit code`, async (t) => {
      const run = start(t, createProject(t, SERVER))
      await run.seen(/pid/)
      // The terminal sends the signal to the whole process group, and npm sends it again.
      process.kill(-(run.child.pid ?? 0), signal)
      run.child.kill(signal)
      t.same(await run.ended, [7, null])
      t.match(run.output(), `ended by 1 ${signal}`)
    })
  }

  t.test('refuses to start in a folder whose name has a #, in which Vite cannot build', async (t) => {
    const project = createProject(t, SERVER, 'project#1')
    const run = start(t, project)
    t.same(await run.ended, [1, null])
    t.equal(run.output(), `hull: Vite cannot build in ${project}: move it to a path without # or ?.\n`)
  })

  t.test('runs Node with the flags of package.json', async (t) => {
    const run = start(t, createProject(t, 'console.log(process.execArgv[0])'))
    t.same(await run.ended, [0, null])
    t.match(run.output(), '--max-semi-space-size=8\n')
  })

  t.test('is ended by the same signal as the server', async (t) => {
    const run = start(t, createProject(t, "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"))
    t.same(await run.ended, [null, 'SIGTERM'])
  })

  t.test('exits with the exit code of a server that cannot start', async (t) => {
    const run = start(t, createProject(t, 'process.exit(3)'))
    t.same(await run.ended, [3, null])
  })

  t.test('stops the server when it is killed', async (t) => {
    const run = start(t, createProject(t, SERVER))
    await run.seen(/pid \d+/)
    run.child.kill('SIGKILL')
    await run.seen(/ended by 1 SIGTERM/)
    t.pass('the server has stopped')
  })

  t.test('runs Node with the flags of the image', async (t) => {
    const project = createProject(t, "console.log(JSON.stringify(process.execArgv.concat('server.ts')))")
    const { type, config } = JSON.parse(readFileSync(join(scripts, '../package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    writeFileSync(join(project, 'package.json'), JSON.stringify({ type, config }))
    const run = start(t, project)
    await run.ended
    const [, command] = /^CMD (\[.*\])\s*$/m.exec(
      readFileSync(join(scripts, '../Dockerfile'), 'utf8').split('# The application')[1]!
    )!
    const flags = JSON.parse(/^\[.*\]$/m.exec(run.output())![0]) as string[]
    const ownHook = flags.findIndex((flag) => flag.endsWith('/exit-with-parent.js'))
    flags.splice(ownHook - 1, 2)
    t.same(['node', ...flags], JSON.parse(command!))
  })

  t.test('works in a folder with spaces', async (t) => {
    const run = start(t, createProject(t, 'process.exit(5)', 'a folder'))
    t.same(await run.ended, [5, null])
  })

  t.test('refuses an unknown command, and lists all commands', async (t) => {
    const run = start(t, createProject(t, ''), ['fly'])
    t.same(await run.ended, [1, null])
    t.equal(
      run.output(),
      'hull: there is no command "fly". There are: start, dev, build, test, test:quick, format, soak, inbox, create, routes, export, inbox:build, inbox:backup, inbox:restore, inbox:move, inbox:export, inbox:replay, bench.\n'
    )
  })

  t.test('every script of package.json runs through scripts/run.js, which installs missing packages', async (t) => {
    const { scripts: own } = JSON.parse(readFileSync(join(scripts, '../package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    t.same(own, Object.fromEntries(Object.keys(own).map((name) => [name, `node scripts/run.js ${name}`])))
  })

  t.test('refuses a command whose option npm took, because there is no -- before it', async (t) => {
    for (const [name, command, option] of [
      ['npm_config_project', 'inbox:export', '--project'],
      ['npm_config_skip_attachments', 'inbox:export', '--skip-attachments'],
      ['npm_config_inbox', 'create', '--no-inbox'],
      ['npm_config_dsn', 'inbox:replay', '--dsn'],
      ['npm_config_peers', 'bench', '--peers'],
      ['npm_config_json', 'routes', '--json']
    ] as const) {
      process.env[name] = ''
      const run = start(t, createProject(t, ''), [command, 'folder'])
      t.same(await run.ended, [1, null])
      t.match(run.output(), `npm took ${option} for an option of its own`)
      t.match(run.output(), `npm run ${command} -- `)
      delete process.env[name]
    }
  })

  t.test('reports a failed build in one sentence, without a stack', async (t) => {
    const project = createProject(t, '')
    writeFileSync(join(project, 'vite.js'), 'process.exit(1)')
    const run = start(t, project)
    t.same(await run.ended, [1, null])
    t.match(run.output(), /hull: the build failed: Vite says why above\.\n$/)
    t.notMatch(run.output(), / at /)
  })

  t.test('builds once, and again after an edit', async (t) => {
    const project = createProject(t, '')
    const output = async () => {
      const run = start(t, project)
      await run.ended
      return run.output()
    }
    t.equal(await output(), 'hull: building the pages\n')
    t.equal(await output(), '')
    writeFileSync(join(project, 'client/a.ts'), 'edited')
    t.equal(await output(), 'hull: building the pages\n')
    mkdirSync(join(project, 'packages/shell/test'), { recursive: true })
    writeFileSync(join(project, 'packages/shell/test/a.test.ts'), 'edited')
    t.equal(await output(), '', 'an edit of a test does not build again')
    mkdirSync(join(project, 'packages/shell/src'))
    writeFileSync(join(project, 'packages/shell/src/a.ts'), 'edited')
    t.equal(await output(), 'hull: building the pages\n', 'an edit of a package builds')
  })
})

/** Creates a project with the scripts of this repository, linked packages, a fake Vite and an empty preload. */
function createProject(t: Test, server: string, name = 'project') {
  const folder = createFolder(t)
  const project = join(folder, name)
  mkdirSync(join(folder, 'packages/vite/bin'), { recursive: true })
  cpSync(scripts, join(project, 'scripts'), { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"type":"module","config":{"nodeFlags":"--max-semi-space-size=8"}}')
  writeFileSync(join(project, 'server.ts'), server)
  mkdirSync(join(project, 'client'))
  writeFileSync(join(project, 'vite.js'), "import { mkdirSync } from 'node:fs'\nmkdirSync('dist', { recursive: true })")
  const shell = join(folder, 'packages/@hull/shell')
  mkdirSync(shell, { recursive: true })
  writeFileSync(join(shell, 'package.json'), '{"type":"module","exports":{"./start":"./start.js"}}')
  writeFileSync(join(shell, 'start.js'), '')
  symlinkSync(join(project, 'vite.js'), join(folder, 'packages/vite/bin/vite.js'))
  symlinkSync(join(folder, 'packages'), join(project, 'node_modules'))
  return project
}

function start(t: Test, project: string, args = ['start']) {
  // The cache is outside of the project, because an exiting server would write into it while the project is deleted.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'hull-compile-cache') }
  // Without NODE_OPTIONS, whose hooks could turn the last signal into an exit code.
  const child = spawn('env', bareNode('scripts/run.js', ...args), { cwd: project, detached: true, env })
  let output = ''
  const ended = once(child, 'exit')
  const changed = new EventTarget()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      changed.dispatchEvent(new Event('data'))
    })
  }
  t.teardown(() => child.kill('SIGKILL'))
  return {
    child,
    ended,
    output: () => output,
    async seen(pattern: RegExp) {
      while (!pattern.test(output)) await once(changed, 'data')
    }
  }
}
