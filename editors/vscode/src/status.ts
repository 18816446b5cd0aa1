/** The status bar item: the state of the language server, its version, and where kernels run. */
import * as vscode from 'vscode';

import type { LiftServer, ServerState } from './server';
import type { SetupView } from './setup';

export function createStatusItem(server: LiftServer, setup: SetupView): vscode.Disposable {
    const item = vscode.window.createStatusBarItem('lift.status', vscode.StatusBarAlignment.Left, 0);
    item.name = 'Lift Language Server';
    const show = (): void => {
        const { text, detail, isError } = describe(server.state, setup.device());
        item.text = text;
        item.backgroundColor = isError
            ? new vscode.ThemeColor('statusBarItem.errorBackground')
            : undefined;
        item.command = isError ? 'lift.restartServer' : 'lift.showSetup';
        item.tooltip = tooltip(detail);
        item.accessibilityInformation = { label: `Lift: ${detail.join(', ')}`, role: 'button' };
    };
    show();
    item.show();
    return vscode.Disposable.from(item, server.onDidChangeState(show), setup.onDidChangeDevice(show));
}

function tooltip(detail: string[]): vscode.MarkdownString {
    const commands = {
        'lift.showSetup': 'Show Setup',
        'lift.chooseDevice': 'Choose Device',
        'lift.restartServer': 'Restart Server',
        'lift.showOutput': 'Show Output',
    };
    const links = Object.entries(commands).map(([id, title]) => `[${title}](command:${id})`);
    const text = new vscode.MarkdownString();
    detail.forEach((line) => text.appendText(line).appendMarkdown('\n\n'));
    text.appendMarkdown(links.join(' · '));
    text.isTrusted = { enabledCommands: Object.keys(commands) };
    return text;
}

interface Description {
    text: string;
    detail: string[];
    isError: boolean;
}

function describe(state: ServerState, device: string | undefined): Description {
    switch (state.kind) {
        case 'starting':
            return { text: '$(loading~spin) Lift', detail: ['The server is starting.'], isError: false };
        case 'running': {
            const { version, file, place } = state.server;
            const from = place === 'PATH' ? 'found on PATH' : place;
            const where = device === undefined ? [] : [`Kernels run on: ${device}`];
            return {
                text: ['$(check) Lift', version.replace(/^lift\s+/, ''), ...(device === undefined ? [] : ['·', device])].join(' '),
                detail: [`${version} (${file}, ${from})`, ...where],
                isError: false,
            };
        }
        case 'stopped':
            return { text: '$(circle-slash) Lift', detail: ['The server is stopped.'], isError: false };
        case 'failed':
            return { text: '$(error) Lift', detail: [state.why, 'Click to restart.'], isError: true };
    }
}
