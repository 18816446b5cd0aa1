/** Describes the setup as text, without access to the editor. */
import type { Device, Setup } from './protocol';

export interface Health {
    /** Its version. */
    extension: string;
    editor: string;
    trusted: boolean;
    folders: string[];
    /** Where the server was found; undefined if there is none. */
    place: string | undefined;
    /** Why there is none. */
    problem: string | undefined;
    /** Settings that were changed. */
    settings: [string, unknown][];
    setup: Setup | undefined;
}

/** A page in Markdown. */
export function describeSetup(health: Health): string {
    const { setup } = health;
    const server =
        setup === undefined
            ? [`**There is no server.** ${health.problem ?? 'It is not running.'}`, '', '[Restart Server](command:lift.restartServer)']
            : [
                  table([
                      ['version', setup.version],
                      ['program', code(setup.program)],
                      ['found', health.place === 'PATH' ? 'on `PATH`' : (health.place ?? '')],
                      ['system', setup.system],
                  ]),
              ];
    const devices =
        setup === undefined
            ? ['Not known without a server.']
            : [
                  ...(setup.problem ? [`> ${setup.problem.replaceAll('\n', '\n> ')}`, ''] : []),
                  ...setup.devices.map(describeDevice),
              ];
    const settings = health.settings.map(([name, value]) => `* ${code(name)}: ${code(JSON.stringify(value))}`);
    return [
        '# Lift',
        '',
        '## Server',
        '',
        ...server,
        '',
        '## Devices',
        '',
        ...devices,
        '',
        '## Editor',
        '',
        table([
            ['extension', health.extension],
            ['editor', health.editor],
            ['workspace', health.trusted ? 'trusted: kernels run' : 'not trusted: kernels do not run'],
            ['folders', health.folders.map(code).join(', ') || 'none'],
        ]),
        '',
        ...(settings.length > 0 ? ['Settings that were changed:', '', ...settings] : ['No setting was changed.']),
        '',
    ].join('\n');
}

function describeDevice({ device, info }: Device): string {
    if (info === undefined) return `* **${device}**: the reference interpreter, always there`;
    const { limits } = info;
    const gigabytes = (limits.global_memory / 1e9).toFixed(1);
    return [
        `* **${device}**: ${info.name} (${info.kind}), ${info.platform}`,
        `  ${info.version}, driver ${info.driver}; ${limits.compute_units} compute units, ${gigabytes} GB,`,
        `  ${Math.round(limits.local_memory / 1024)} kB of local memory, groups of up to ${limits.work_group_size};`,
        `  ${info.doubles ? 'computes with Double' : 'cannot compute with Double'}`,
    ].join('\n');
}

function table(rows: [string, string][]): string {
    return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

function code(text: string): string {
    return `\`${text.replaceAll('`', "'")}\``;
}

/** The device on which a kernel runs with this setting, in a few words for the status bar. */
export function deviceLabel({ devices }: Setup, wish: string): string {
    const preference = ['gpu', 'accelerator', 'cpu', 'other'];
    const opencl = devices.filter((d) => d.info !== undefined);
    const best = [...opencl].sort(
        (a, b) => preference.indexOf(a.info?.kind ?? 'other') - preference.indexOf(b.info?.kind ?? 'other'),
    )[0];
    if (wish === 'interpreter' || (wish === 'auto' && best === undefined)) return 'interpreter';
    const meant = wish === 'auto' || wish === 'opencl' ? best : opencl.find((d) => d.device === wish);
    return meant?.info === undefined ? `${wish} (not here)` : shortName(meant.info.name);
}

/** Names such as `cpu-skylake-avx512-Intel(R) Xeon(R) Processor @ 2.60GHz`, without what all have. */
function shortName(name: string): string {
    const short = name
        .replace(/\((R|TM|C)\)/gi, '')
        .replace(/^(cpu|pthread)-[\w-]*?-(?=[A-Z])/, '')
        .replace(/\s*(CPU|Processor)?\s*@.*$/, '')
        .replace(/\s+/g, ' ')
        .trim();
    return short.length > 28 ? `${short.slice(0, 27)}…` : short;
}
