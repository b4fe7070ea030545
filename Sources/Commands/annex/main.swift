import AnnexCommand

AnnexProgram.main()
