/** *Lift: Generate OpenCL*: the kernel's OpenCL C beside its program, kept fresh as it is saved. */
import * as vscode from 'vscode';

import { OPENCL_SCHEME, type ComputedDocuments } from './documents';
import { explain, messageOf } from './errors';
import { COMMAND, type GeneratedOpenCL } from './protocol';
import type { LiftServer } from './server';
import { chooseKernel, type Programs } from './target';

export class Generator implements vscode.Disposable {
    private readonly saved: vscode.Disposable;

    constructor(
        private readonly server: LiftServer,
        private readonly documents: ComputedDocuments,
        private readonly programs: Programs,
    ) {
        this.saved = vscode.workspace.onDidSaveTextDocument((d) => void this.refresh(d));
    }

    /** `named` is a `Target` when a lens, a code action or a link starts this; else anything. */
    async run(named: unknown): Promise<void> {
        const chosen = this.programs.choose(named);
        if (chosen === undefined) {
            void vscode.window.showInformationMessage('Open a Lift program first: a file named *.lift.');
            return;
        }
        try {
            const kernel = await chooseKernel(this.server, chosen);
            if (kernel === undefined) return;
            const generated = await vscode.window.withProgress(
                { location: vscode.ProgressLocation.Window, title: `Lift: generating ${kernel.name}` },
                () => this.generate(chosen.source, kernel.name),
            );
            const origin = { source: chosen.source, kernel: kernel.name };
            const uri = vscode.Uri.parse(generated.uri, true);
            await this.documents.show(uri, generated.text, origin, generated.language);
        } catch (error) {
            explain(this.server.output, 'No OpenCL', error);
        }
    }

    dispose(): void {
        this.saved.dispose();
    }

    private generate(source: vscode.Uri, kernel: string): Promise<GeneratedOpenCL> {
        const target = { uri: source.toString(), kernel };
        return this.server.execute<GeneratedOpenCL>(COMMAND.generateOpenCL, [target]);
    }

    /** A view whose program has an error at the moment keeps its last good text. */
    private async refresh(program: vscode.TextDocument): Promise<void> {
        if (program.languageId !== 'lift') return;
        for (const { uri, origin } of this.documents.computedFrom(program.uri, OPENCL_SCHEME)) {
            try {
                const generated = await this.generate(origin.source, origin.kernel);
                this.documents.update(uri, generated.text, origin);
            } catch (error) {
                const why = messageOf(error);
                this.server.output.info(`The OpenCL of ${origin.kernel} was not refreshed: ${why}`);
            }
        }
    }
}
