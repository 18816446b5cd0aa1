/**
 * Finds the `lift` program: the setting, then the one bundled with the extension, then PATH.
 *
 * Each candidate is asked for its version, so that a file that is there but cannot run here (another
 * system's build, a missing library) is passed over with its reason instead of failing later, unseen.
 */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export type Place = 'setting' | 'bundled' | 'PATH';

export interface Server {
    place: Place;
    file: string;
    /** As `lift --version` prints it. */
    version: string;
}

/** A candidate that is not a working server, and the reason. */
export interface Rejection {
    place: Place;
    why: string;
}

export interface Search {
    server: Server | undefined;
    /** In the order in which the places were tried. */
    rejected: Rejection[];
}

export interface Places {
    /** The setting `lift.server.path`; empty if not set. */
    setting: string;
    /** The folder that the extension is installed in. */
    extension: string;
    /** What `${workspaceFolder}` stands for, if a folder is open. */
    workspace: string | undefined;
    env: NodeJS.ProcessEnv;
}

const EXECUTABLE = process.platform === 'win32' ? 'lift.exe' : 'lift';

/** Time limit for a program to print its version, in milliseconds. */
const PATIENCE = 10_000;

export async function locateServer(places: Places): Promise<Search> {
    const rejected: Rejection[] = [];
    for (const [place, find] of [
        ['setting', () => fromSetting(places)],
        ['bundled', () => path.join(places.extension, 'server', EXECUTABLE)],
        ['PATH', () => fromPath(places.env)],
    ] as [Place, () => string | { why: string }][]) {
        const file = find();
        if (typeof file !== 'string') {
            rejected.push({ place, why: file.why });
            continue;
        }
        const asked = await askVersion(file, places.env);
        if (typeof asked === 'string') {
            return { server: { place, file, version: asked }, rejected };
        }
        rejected.push({ place, why: `${file}: ${asked.why}` });
    }
    return { server: undefined, rejected };
}

/** The message for a search that found nothing: every candidate with its reason. */
export function describeFailure(search: Search): string {
    const named: Record<Place, string> = {
        setting: 'the setting lift.server.path',
        bundled: 'the extension itself',
        PATH: 'PATH',
    };
    const reasons = search.rejected.map((r) => `${named[r.place]} (${r.why})`);
    return `No Lift language server. Looked in ${reasons.join(', ')}.`;
}

function fromSetting(places: Places): string | { why: string } {
    let text = places.setting.trim();
    if (text === '') return { why: 'not set' };
    if (text === '~' || text.startsWith('~/')) text = path.join(os.homedir(), text.slice(1));
    if (text.includes('${workspaceFolder}')) {
        if (places.workspace === undefined) return { why: `${text}: no folder is open` };
        text = text.replaceAll('${workspaceFolder}', places.workspace);
    }
    if (!path.isAbsolute(text)) return { why: `${text}: not an absolute path` };
    return text;
}

function fromPath(env: NodeJS.ProcessEnv): string | { why: string } {
    for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
        if (folder === '') continue;
        const file = path.join(folder, EXECUTABLE);
        if (isExecutableFile(file)) return file;
    }
    return { why: `no ${EXECUTABLE} in any of its folders` };
}

function isExecutableFile(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

function askVersion(file: string, env: NodeJS.ProcessEnv): Promise<string | { why: string }> {
    if (!fs.existsSync(file)) return Promise.resolve({ why: 'no such file' });
    if (!isExecutableFile(file)) return Promise.resolve({ why: 'not an executable file' });
    return new Promise((resolve) => {
        execFile(file, ['--version'], { env, timeout: PATIENCE }, (error, stdout) => {
            if (!error) {
                resolve(stdout.trim());
            } else if (error.killed) {
                resolve({ why: `no answer to --version in ${PATIENCE / 1000} s` });
            } else {
                resolve({ why: `does not run: ${error.message.trim()}` });
            }
        });
    });
}
